package io.tatami.meta.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.TatamiException;
import io.tatami.meta.log.ReplicaCluster.Node;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
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

    private final Random random = new Random(Long.getLong("tatami.test.seed", System.nanoTime() & 0xffff_ffffL));

    /**
     * Each subset of the last entry's sectors but all of them; what is missing is zeros, as Ratis writes beforehand.
     */
    @Test
    void aReplicaComesBackWhateverHasComeOfItsLastWrite() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            Node node = write(cluster);
            Path segment = segment(node);
            byte[] all = Files.readAllBytes(segment);
            int begin = lastValue(all);
            byte[] whole = Arrays.copyOf(all, begin + entryBytes(all, begin));
            for (int i = 0; i < 200; i++) {
                byte[] torn = torn(whole, begin);
                Files.write(segment, torn);
                TornEnd.cut(segment.resolveSibling(""));
                assertArrayEquals(Arrays.copyOf(whole, begin), withoutZeros(Files.readAllBytes(segment)));
            }
            Files.write(segment, torn(whole, begin));
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
            Path segment = segment(node);
            byte[] all = Files.readAllBytes(segment);
            int begin = lastValue(all);
            byte[] whole = Arrays.copyOf(all, begin + entryBytes(all, begin));
            for (int from : new int[] {begin, begin - VALUE_BYTES}) {
                for (int i = 0; i < 50; i++) {
                    byte[] rotten = Arrays.copyOf(whole, whole.length + ZEROS);
                    rotten[from + 20 + random.nextInt(VALUE_BYTES)] ^= (byte) (1 << random.nextInt(8));
                    Files.write(segment, rotten);
                    TornEnd.cut(segment.resolveSibling(""));
                    assertArrayEquals(rotten, Files.readAllBytes(segment));
                }
            }
            // A sector that is gone from before a whole entry was there once.
            byte[] holed = Arrays.copyOf(whole, whole.length + ZEROS);
            int hole = (begin - VALUE_BYTES) / SECTOR_BYTES * SECTOR_BYTES;
            Arrays.fill(holed, hole, hole + SECTOR_BYTES, (byte) 0);
            Files.write(segment, holed);
            assertThrows(TatamiException.class, () -> node.open(List.of()));
            assertArrayEquals(holed, Files.readAllBytes(segment));
        }
    }

    /** A replica that is closed, with some entries in its log. */
    private Node write(ReplicaCluster cluster) throws Exception {
        List<Node> nodes = cluster.found(3);
        for (int i = 0; i < ENTRIES; i++) {
            byte[] noise = new byte[VALUE_BYTES];
            random.nextBytes(noise);
            cluster.commit("e" + i, HexFormat.of().formatHex(noise));
        }
        cluster.awaitEqual();
        Node leader = cluster.awaitLeader();
        Node node = nodes.stream().filter(one -> one != leader).findAny().orElseThrow();
        node.close();
        return node;
    }

    private static Path segment(Node node) throws IOException {
        try (Stream<Path> below = Files.walk(node.home.resolve("raft"))) {
            return below.filter(path -> path.getFileName().toString().startsWith("log_inprogress_"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Where the last entry with a value begins; Ratis has put a short one of its own behind it. */
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

    private byte[] torn(byte[] whole, int begin) {
        byte[] torn = Arrays.copyOf(whole, whole.length + ZEROS);
        int sectors = (whole.length - 1) / SECTOR_BYTES - begin / SECTOR_BYTES + 1;
        assertTrue(sectors > 1);
        int missing = begin / SECTOR_BYTES + random.nextInt(sectors);
        for (int i = 0; i < sectors; i++) {
            int sector = begin / SECTOR_BYTES + i;
            if (sector == missing || random.nextBoolean()) {
                Arrays.fill(
                        torn,
                        Math.max(begin, sector * SECTOR_BYTES),
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
}
