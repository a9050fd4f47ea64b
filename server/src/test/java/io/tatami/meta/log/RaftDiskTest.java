package io.tatami.meta.log;

import static io.tatami.meta.log.ReplicaCluster.await;
import static io.tatami.meta.log.ReplicaCluster.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.crash.FaultyDisk;
import io.tatami.meta.log.ReplicaCluster.Lead;
import io.tatami.meta.log.ReplicaCluster.Node;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replicas whose disk becomes full, or fails, under log and store, over real file systems. Nothing that was not durable
 * at a majority is acknowledged; the others go on; and the replica takes part again once its disk is well and its
 * server was started again.
 */
final class RaftDiskTest {
    private static final int VALUE_BYTES = 32 << 10;
    private static final int ENTRIES = 5;

    @TempDir
    private Path directory = Path.of("");

    private final Map<String, String> acknowledged = new TreeMap<>();
    private Random random = new Random(0);

    @BeforeEach
    void printSeed() {
        long seed = Long.getLong("tatami.test.seed", System.nanoTime() & 0xffff_ffffL);
        System.out.println("replay with -Dtatami.test.seed=" + seed);
        random = new Random(seed);
    }

    /** What happens to a disk. */
    private interface Fault {
        void strike(FaultyDisk disk) throws Exception;
    }

    @Tag("soak")
    @Test
    void theOthersGoOnWithoutAFollowerWhoseDiskIsFull() throws Exception {
        oneDiskStruck(2, FaultyDisk::fill);
    }

    @Tag("soak")
    @Test
    void theOthersGoOnWithoutAFollowerWhoseDiskFails() throws Exception {
        oneDiskStruck(2, FaultyDisk::fail);
    }

    @Test
    void anotherReplicaLeadsWhenTheLeadersDiskIsFull() throws Exception {
        oneDiskStruck(0, FaultyDisk::fill);
    }

    @Tag("soak")
    @Test
    void anotherReplicaLeadsWhenTheLeadersDiskFails() throws Exception {
        oneDiskStruck(0, FaultyDisk::fail);
    }

    private void oneDiskStruck(int number, Fault fault) throws Exception {
        try (FaultyDisk disk = new FaultyDisk(directory.resolve("server-" + number));
                ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(3);
            Node struck = nodes.get(number);
            commit(cluster);
            // The first one is preferred.
            await("the first to lead", () -> nodes.get(0).lead.get() != null);
            fault.strike(disk);
            await("the end of the replica", () -> {
                commit(cluster);
                return !struck.failures.isEmpty();
            });
            requireNamesDisk(struck.awaitFailure());
            for (int i = 0; i < ENTRIES; i++) {
                commit(cluster);
            }
            assertTrue(cluster.awaitLeader() != struck, "a replica leads that has failed");
            struck.close();
            disk.heal();
            struck.open(List.of());
            commit(cluster);
            cluster.awaitEqual();
            nodes.forEach(this::requireAll);
            nodes.forEach(node -> assertTrue(node.failures.isEmpty(), () -> node.member + ": " + node.failures));
        }
    }

    /** Its last vote is what a server must not forget; where it cannot be written, there is none. */
    @Test
    void aReplicaThatCannotWriteItsVoteStopsAndIsNotTakenForOneThatWasRemoved() throws Exception {
        try (FaultyDisk disk = new FaultyDisk(directory.resolve("server-2"));
                ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(3);
            Node struck = nodes.get(2);
            commit(cluster);
            cluster.awaitEqual();
            await("the first to lead", () -> nodes.get(0).lead.get() != null);
            disk.fill();
            nodes.get(0).close();
            requireNamesDisk(struck.awaitFailure());
            assertFalse(struck.excluded);
            assertFalse(cluster.isLed(), "elected without a vote that was written");
            struck.close();
            disk.heal();
            struck.open(List.of());
            commit(cluster);
            nodes.get(0).open(List.of());
            commit(cluster);
            cluster.awaitEqual();
            nodes.forEach(this::requireAll);
        }
    }

    /** What is acknowledged is on two disks at least, so the two that were struck have it without the third. */
    @Test
    void nothingIsAcknowledgedThatAMajorityCouldNotWrite() throws Exception {
        try (FaultyDisk second = new FaultyDisk(directory.resolve("server-1"));
                FaultyDisk third = new FaultyDisk(directory.resolve("server-2"));
                ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(3);
            List<Node> struck = nodes.subList(1, 3);
            commit(cluster);
            await("the first to lead", () -> nodes.get(0).lead.get() != null);
            Lead lead = Objects.requireNonNull(nodes.get(0).lead.get());
            second.fail();
            third.fill();
            TatamiException refused = assertThrows(TatamiException.class, () -> commitUntilRefused(cluster, lead));
            assertEquals(ErrorCode.NOT_LEADER, refused.code(), refused.toString());
            nodes.get(0).close();
            for (Node node : struck) {
                requireNamesDisk(node.awaitFailure());
                node.close();
            }
            second.heal();
            third.heal();
            for (Node node : struck) {
                node.open(List.of());
            }
            commit(cluster);
            cluster.awaitEqual();
            struck.forEach(this::requireAll);
            nodes.get(0).open(List.of());
            commit(cluster);
            cluster.awaitEqual();
            nodes.forEach(this::requireAll);
        }
    }

    private void commitUntilRefused(ReplicaCluster cluster, Lead lead) throws TatamiException {
        while (true) {
            String key = "e" + acknowledged.size();
            String value = noise();
            lead.log().commit(cluster.entry(lead.store().appliedIndex() + 1, key, value));
            acknowledged.put(key, value);
        }
    }

    private static void requireNamesDisk(TatamiException reason) {
        assertTrue(reason.code() == ErrorCode.IO_ERROR || reason.code() == ErrorCode.NO_SPACE, reason.toString());
        assertTrue(reason.toString().contains("Look at the disk"), reason.toString());
    }

    private void commit(ReplicaCluster cluster) throws Exception {
        String key = "e" + acknowledged.size();
        String value = noise();
        cluster.commit(key, value);
        acknowledged.put(key, value);
    }

    private String noise() {
        byte[] noise = new byte[VALUE_BYTES];
        random.nextBytes(noise);
        return HexFormat.of().formatHex(noise);
    }

    private void requireAll(Node node) {
        acknowledged.forEach(
                (key, value) -> assertEquals(value, read(node.replica().store(), key)));
    }
}
