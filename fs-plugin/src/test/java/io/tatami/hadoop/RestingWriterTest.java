package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.server.node.BlockNode;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A block server ends while a program holds a file open and calls nothing. */
final class RestingWriterTest {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int FLUSHED_BYTES = 300_001;
    private static final int ALL_BYTES = 700_001;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Path LOG = new Path("/log");

    @TempDir
    private java.nio.file.Path directory;

    @Test
    void theBlockIsSealedWhileItsWriterRests() throws Exception {
        byte[] content = new byte[ALL_BYTES];
        new Random(7).nextBytes(content);
        try (GrowingCluster cluster = new GrowingCluster(directory);
                BlockNode second = cluster.startSecond()) {
            FileSystem fs = cluster.fs();
            FSDataOutputStream out;
            try (BlockNode third = cluster.startThird()) {
                assertTrue(third.id() != second.id());
                out = fs.create(LOG, true, 4096, (short) 3, BLOCK_BYTES);
                out.write(content, 0, FLUSHED_BYTES);
                out.hflush();
                assertEquals(3, copies(fs), "a server is not in the chain whose end is to be noticed");
            }
            // The home takes a server off an open block's record only for a writer that says so.
            Instant end = Instant.now().plus(PATIENCE);
            while (copies(fs) != 2) {
                assertTrue(Instant.now().isBefore(end), "nobody notices that a server has ended");
                Thread.sleep(50);
            }
            assertArrayEquals(Arrays.copyOf(content, FLUSHED_BYTES), read(fs, FLUSHED_BYTES));
            out.write(content, FLUSHED_BYTES, ALL_BYTES - FLUSHED_BYTES);
            out.close();
            assertEquals(2, fs.getFileBlockLocations(LOG, 0, Long.MAX_VALUE).length, "blocks");
            assertArrayEquals(content, read(fs, ALL_BYTES));
        }
    }

    /** Of the first block; those behind it are granted ahead. */
    private static int copies(FileSystem fs) throws IOException {
        BlockLocation[] locations = fs.getFileBlockLocations(LOG, 0, Long.MAX_VALUE);
        return locations[0].getHosts().length;
    }

    private static byte[] read(FileSystem fs, int length) throws IOException {
        byte[] read = new byte[length];
        try (FSDataInputStream in = fs.open(LOG)) {
            in.readFully(0, read);
        }
        return read;
    }
}
