package io.tatami.meta.log.raft;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.TatamiException;
import io.tatami.meta.log.ReplicaCluster;
import io.tatami.meta.log.ReplicaCluster.Node;
import io.tatami.seed.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Logs whose last write came to the disk in part are opened; those that have rotted are not. */
final class TornEndTest {
    private static final int ENTRIES = 4;
    private static final int VALUE_BYTES = 5_000;
    private static final int SECTOR_BYTES = 512;
    private static final int HEADER_BYTES = 8;
    private static final int ZEROS = 64 << 10;

    @TempDir
    private Path directory = Path.of("");

    private final Random random = TestSeed.random();

    /** Some subsets of the last entry's sectors; what is missing is zeros, as Ratis writes beforehand. */
    @Test
    void aReplicaComesBackWhateverHasComeOfItsLastWrite() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            Node node = write(cluster);
            Log log = Log.of(node);
            for (int i = 0; i < 200; i++) {
                Files.write(log.segment, torn(log));
                TornEnd.cut(log.segment.resolveSibling(""));
                assertArrayEquals(Arrays.copyOf(log.whole, log.last), withoutZeros(Files.readAllBytes(log.segment)));
            }
            Files.write(log.segment, torn(log));
            node.open(List.of());
            cluster.commit("after", "1");
            cluster.awaitEqual();
            assertEquals("1", ReplicaCluster.read(node.replica().store(), "after"));
        }
    }

    @Test
    void anEntryThatHasRottedIsNotForgotten() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            Node node = write(cluster);
            Log log = Log.of(node);
            for (int from : new int[] {log.last, log.last - VALUE_BYTES}) {
                for (int i = 0; i < 50; i++) {
                    byte[] rotten = log.withZeros();
                    rotten[from + 20 + random.nextInt(VALUE_BYTES)] ^= (byte) (1 << random.nextInt(8));
                    Files.write(log.segment, rotten);
                    TornEnd.cut(log.segment.resolveSibling(""));
                    assertArrayEquals(rotten, Files.readAllBytes(log.segment));
                }
            }
            // A sector that is gone from before a whole entry was there once.
            byte[] holed = log.withZeros();
            int hole = (log.last - VALUE_BYTES) / SECTOR_BYTES * SECTOR_BYTES;
            Arrays.fill(holed, hole, hole + SECTOR_BYTES, (byte) 0);
            Files.write(log.segment, holed);
            assertThrows(TatamiException.class, () -> node.open(List.of()));
            assertArrayEquals(holed, Files.readAllBytes(log.segment));
        }
    }

    /** A replica that is closed, with some entries in its log. */
    private Node write(ReplicaCluster cluster) throws Exception {
        List<Node> nodes = cluster.found(3);
        for (int i = 0; i < ENTRIES; i++) {
            cluster.commit("e" + i, TestSeed.noise(random, VALUE_BYTES));
        }
        cluster.awaitEqual();
        Node leader = cluster.awaitLeader();
        Node node = nodes.stream().filter(one -> one != leader).findAny().orElseThrow();
        node.close();
        return node;
    }

    private byte[] torn(Log log) {
        byte[] torn = log.withZeros();
        int first = log.last / SECTOR_BYTES;
        int sectors = (log.whole.length - 1) / SECTOR_BYTES - first + 1;
        assertTrue(sectors > 1);
        int missing = first + random.nextInt(sectors);
        for (int sector = first; sector < first + sectors; sector++) {
            if (sector == missing || random.nextBoolean()) {
                Arrays.fill(
                        torn,
                        Math.max(log.last, sector * SECTOR_BYTES),
                        Math.min((sector + 1) * SECTOR_BYTES, torn.length),
                        (byte) 0);
            }
        }
        return torn;
    }

    private static byte[] withoutZeros(byte[] bytes) {
        int length = bytes.length;
        while (length > 0 && bytes[length - 1] == 0) {
            length--;
        }
        return Arrays.copyOf(bytes, length);
    }

    /** The log of a replica that is closed. */
    private static final class Log {
        final Path segment;

        /** Where the last entry begins. */
        final int last;

        /** Without the zeros that Ratis writes beforehand. */
        final byte[] whole;

        private Log(Path segment, int last, byte[] whole) {
            this.segment = segment;
            this.last = last;
            this.whole = whole;
        }

        static Log of(Node node) throws IOException {
            try (Stream<Path> files = Files.list(node.logs())) {
                Path segment = files.filter(
                                path -> path.getFileName().toString().startsWith("log_inprogress_"))
                        .findFirst()
                        .orElseThrow();
                byte[] all = Files.readAllBytes(segment);
                int last = lastValue(all);
                return new Log(segment, last, Arrays.copyOf(all, last + entryBytes(all, last)));
            }
        }

        byte[] withZeros() {
            return Arrays.copyOf(whole, whole.length + ZEROS);
        }

        private static int lastValue(byte[] log) {
            int last = 0;
            for (int at = HEADER_BYTES; at < log.length; at += entryBytes(log, at)) {
                if (entryBytes(log, at) > VALUE_BYTES) {
                    last = at;
                }
            }
            assertTrue(last > VALUE_BYTES, "entry at " + last);
            return last;
        }

        private static int entryBytes(byte[] log, int begin) {
            int at = begin;
            int length = 0;
            for (int shift = 0; log[at] < 0; shift += 7) {
                length |= (log[at] & 0x7f) << shift;
                at++;
            }
            length |= log[at] << (7 * (at - begin));
            return at + 1 - begin + length + Integer.BYTES;
        }
    }
}
