package io.tatami.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
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

/**
 * A recovery and a truncate while one of three block servers is away: the others end both, and the one that comes back
 * has copies that count for nothing until they are made again.
 */
final class RecoveryOnThreeServersTest {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int WRITTEN_BYTES = 300_001;
    private static final int CUT_BYTES = BLOCK_BYTES + 100_001;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Path OPEN = new Path("/open");
    private static final Path CUT = new Path("/cut");

    @TempDir
    private java.nio.file.Path directory;

    @Test
    void twoServersRecoverAndCutAndTheThirdMakesItsCopiesAgain() throws Exception {
        try (GrowingCluster cluster = new GrowingCluster(directory);
                BlockNode second = cluster.startSecond()) {
            FileSystem fs = cluster.fs();
            byte[] written = bytes(1, WRITTEN_BYTES);
            byte[] closed = bytes(2, 2 * BLOCK_BYTES);
            FSDataOutputStream out;
            try (BlockNode third = cluster.startThird()) {
                assertTrue(third.id() != second.id());
                out = create(fs, OPEN);
                out.write(written);
                out.hflush();
                try (FSDataOutputStream whole = create(fs, CUT)) {
                    whole.write(closed);
                }
                assertEquals(3, copies(fs, CUT));
            }
            Recoveries.recover(fs, OPEN);
            assertArrayEquals(written, read(fs, OPEN));
            assertThrows(IOException.class, () -> {
                out.write(written);
                out.hflush();
            });
            assertFalse(fs.truncate(CUT, CUT_BYTES));
            Recoveries.recover(fs, CUT);
            assertArrayEquals(Arrays.copyOf(closed, CUT_BYTES), read(fs, CUT));
            assertEquals(2, copies(fs, CUT), "the copy of the server that is away has bytes that were cut");
            try (BlockNode third = cluster.startThird()) {
                assertTrue(third.id() != second.id());
                awaitCopies(fs, OPEN);
                awaitCopies(fs, CUT);
                assertArrayEquals(written, read(fs, OPEN));
                assertArrayEquals(Arrays.copyOf(closed, CUT_BYTES), read(fs, CUT));
            }
            assertThrows(IOException.class, out::close);
        }
    }

    private static FSDataOutputStream create(FileSystem fs, Path file) throws IOException {
        return fs.create(file, true, 4096, (short) 3, BLOCK_BYTES);
    }

    private static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static byte[] read(FileSystem fs, Path file) throws IOException {
        byte[] read = new byte[(int) fs.getFileStatus(file).getLen()];
        try (FSDataInputStream in = fs.open(file)) {
            in.readFully(0, read);
        }
        return read;
    }

    /** Of the block that has the fewest. */
    private static int copies(FileSystem fs, Path file) throws IOException {
        BlockLocation[] locations = fs.getFileBlockLocations(file, 0, Long.MAX_VALUE);
        int copies = Integer.MAX_VALUE;
        for (BlockLocation location : locations) {
            copies = Math.min(copies, location.getHosts().length);
        }
        return copies;
    }

    private static void awaitCopies(FileSystem fs, Path file) throws Exception {
        Instant end = Instant.now().plus(PATIENCE);
        while (copies(fs, file) != 3) {
            assertTrue(Instant.now().isBefore(end), () -> file + " does not get its third copies");
            Thread.sleep(50);
        }
    }
}
