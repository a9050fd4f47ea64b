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
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies that three block servers of three hosts make and give up, as a Hadoop program sees it. */
final class CopiesOnThreeServersTest {
    private static final int BLOCK_BYTES = 1 << 20;
    private static final int FILE_BYTES = 3 * BLOCK_BYTES + 12_345;
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Path FILE = new Path("/copies");

    @TempDir
    private java.nio.file.Path directory;

    @Test
    void setReplicationMakesCopiesAndGivesThemUp() throws Exception {
        try (GrowingCluster cluster = new GrowingCluster(directory);
                BlockNode second = cluster.startSecond();
                BlockNode third = cluster.startThird()) {
            FileSystem fs = cluster.fs();
            assertTrue(second.id() != third.id());
            byte[] content = new byte[FILE_BYTES];
            new Random(41).nextBytes(content);
            try (FSDataOutputStream out = fs.create(FILE, true, 4096, (short) 1, BLOCK_BYTES)) {
                out.write(content);
            }
            awaitCopies(fs, 1, 4);
            assertEquals(
                    0, ToolRunner.run(new FsShell(cluster.hadoop()), new String[] {"-setrep", "-w", "3", "/copies"}));
            assertCopies(fs, 3, 4);
            for (int copies : new int[] {1, 2}) {
                assertTrue(fs.setReplication(FILE, (short) copies));
                awaitCopies(fs, copies, 4);
                assertArrayEquals(content, read(fs, FILE_BYTES));
            }
            appendAndCopyAgain(fs, content);
        }
    }

    private static void appendAndCopyAgain(FileSystem fs, byte[] content) throws Exception {
        byte[] longer = Arrays.copyOf(content, FILE_BYTES + 100_000);
        new Random(42).nextBytes(longer);
        System.arraycopy(content, 0, longer, 0, content.length);
        try (FSDataOutputStream out = fs.append(FILE)) {
            out.write(longer, FILE_BYTES, 100_000);
        }
        assertTrue(fs.setReplication(FILE, (short) 3));
        awaitCopies(fs, 3, 4);
        assertArrayEquals(longer, read(fs, longer.length));
    }

    private static byte[] read(FileSystem fs, int length) throws IOException {
        byte[] read = new byte[length];
        try (FSDataInputStream in = fs.open(FILE)) {
            in.readFully(0, read);
        }
        return read;
    }

    /** What the shell waits for is what it then sees. */
    private static void assertCopies(FileSystem fs, int copies, int blocks) throws IOException {
        BlockLocation[] locations = fs.getFileBlockLocations(FILE, 0, Long.MAX_VALUE);
        assertEquals(blocks, locations.length);
        for (BlockLocation location : locations) {
            assertEquals(copies, location.getHosts().length, location::toString);
        }
    }

    private static void awaitCopies(FileSystem fs, int copies, int blocks) throws Exception {
        Instant end = Instant.now().plus(PATIENCE);
        while (true) {
            BlockLocation[] locations = fs.getFileBlockLocations(FILE, 0, Long.MAX_VALUE);
            assertEquals(blocks, locations.length);
            boolean done = true;
            for (BlockLocation location : locations) {
                done &= location.getHosts().length == copies;
            }
            if (done) {
                return;
            }
            assertTrue(Instant.now().isBefore(end), () -> copies + " copies are wanted: " + Arrays.toString(locations));
            Thread.sleep(50);
        }
    }
}
