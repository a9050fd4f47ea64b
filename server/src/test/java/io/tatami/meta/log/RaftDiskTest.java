package io.tatami.meta.log;

import static io.tatami.meta.log.ReplicaCluster.await;
import static io.tatami.meta.log.ReplicaCluster.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.crash.FaultyDisk;
import io.tatami.meta.log.ReplicaCluster.Lead;
import io.tatami.meta.log.ReplicaCluster.Node;
import io.tatami.seed.TestSeed;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Replicas whose disk becomes full, or fails, under log and store, over real file systems. Nothing that was not durable
 * at a majority is acknowledged; the others go on; and the replica takes part again once its disk is well and its
 * server was started again.
 */
final class RaftDiskTest {
    private static final int VALUE_BYTES = 32 << 10;
    private static final int ENTRIES = 5;
    private static final int SERVERS = 3;

    @TempDir
    private Path directory = Path.of("");

    private final List<FaultyDisk> disks = new ArrayList<>();
    private final Map<String, String> acknowledged = new TreeMap<>();
    private final Random random = TestSeed.random();

    @BeforeEach
    void mountDisks() throws IOException {
        for (int server = 0; server < SERVERS; server++) {
            disks.add(new FaultyDisk(directory.resolve("server-" + server)));
        }
    }

    @AfterEach
    void unmountDisks() throws IOException {
        for (FaultyDisk disk : disks) {
            disk.close();
        }
    }

    /** What happens to a disk. */
    private interface Fault {
        void strike(FaultyDisk disk) throws Exception;
    }

    @Tag("soak")
    @Test
    void theOthersGoOnWithoutAFollowerWhoseDiskIsFull() throws Exception {
        oneDiskStruck(false, FaultyDisk::fill);
    }

    @Tag("soak")
    @Test
    void theOthersGoOnWithoutAFollowerWhoseDiskFails() throws Exception {
        oneDiskStruck(false, FaultyDisk::fail);
    }

    @Test
    void anotherReplicaLeadsWhenTheLeadersDiskIsFull() throws Exception {
        oneDiskStruck(true, FaultyDisk::fill);
    }

    @Tag("soak")
    @Test
    void anotherReplicaLeadsWhenTheLeadersDiskFails() throws Exception {
        oneDiskStruck(true, FaultyDisk::fail);
    }

    private void oneDiskStruck(boolean isLeader, Fault fault) throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(SERVERS);
            commit(cluster);
            Node leader = cluster.awaitLeader();
            Node struck = isLeader ? leader : others(nodes, leader).get(0);
            fault.strike(diskOf(nodes, struck));
            await("the end of the replica", () -> {
                commit(cluster);
                return !struck.failures.isEmpty();
            });
            requireNamesDisk(struck.awaitFailure());
            for (int i = 0; i < ENTRIES; i++) {
                commit(cluster);
            }
            assertTrue(cluster.awaitLeader() != struck, "a replica leads that has failed");
            comeBack(nodes, struck);
            commit(cluster);
            cluster.awaitEqual();
            nodes.forEach(this::requireAll);
            nodes.forEach(node -> assertTrue(node.failures.isEmpty(), () -> node.member + ": " + node.failures));
        }
    }

    /** Its last vote is what a server must not forget; where it cannot be written, there is none. */
    @Test
    void aReplicaThatCannotWriteItsVoteStopsAndIsNotTakenForOneThatWasRemoved() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(SERVERS);
            commit(cluster);
            cluster.awaitEqual();
            Node leader = cluster.awaitLeader();
            Node struck = others(nodes, leader).get(0);
            Path votes = struck.logs();
            diskOf(nodes, struck).setWritable(votes, false);
            leader.close();
            TatamiException reason = struck.awaitFailure();
            requireNamesDisk(reason);
            assertTrue(reason.toString().contains("cannot be written"), reason.toString());
            assertFalse(struck.excluded, "taken for one that was removed");
            for (Node node : others(nodes, leader)) {
                assertNull(node.lead.get(), "elected without a vote that was written");
            }
            diskOf(nodes, struck).setWritable(votes, true);
            comeBack(nodes, struck);
            commit(cluster);
            leader.open(List.of());
            commit(cluster);
            cluster.awaitEqual();
            nodes.forEach(this::requireAll);
        }
    }

    /** Ratis would put an empty file in the place of the vote before. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 6, 8})
    void aReplicaWithoutSpaceForAVoteKeepsTheOneBefore(int freeBlocks) throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(SERVERS);
            commit(cluster);
            cluster.awaitEqual();
            Node struck = cluster.awaitLeader();
            Path vote = struck.logs().resolve("raft-meta");
            diskOf(nodes, struck).fill();
            diskOf(nodes, struck).makeRoom(freeBlocks);
            Properties before = properties(vote);
            UUID successor = others(nodes, struck).get(0).member.server();
            await("the end of the replica", () -> {
                // Refused as long as it has not led for a while.
                CompletableFuture<Void> unused = struck.replica().handOver(successor);
                return !struck.failures.isEmpty();
            });
            requireNamesDisk(struck.awaitFailure());
            // A log segment that is closed gives back what was reserved for it, so some votes may still find room.
            // Where
            // none is left in the moment between a look and a vote, Ratis's file is empty until the start.
            comeBack(nodes, struck);
            Properties after = properties(vote);
            assertEquals(before.keySet(), after.keySet());
            assertTrue(term(after) >= term(before), () -> before + " became " + after);
            commit(cluster);
        }
    }

    private static Properties properties(Path vote) throws IOException {
        Properties read = new Properties();
        try (Reader text = Files.newBufferedReader(vote)) {
            read.load(text);
        }
        return read;
    }

    private static long term(Properties vote) {
        return Long.parseLong(vote.getProperty("term"));
    }

    /** None of them is asked for a vote, since none can stand for election. */
    @Test
    void replicasThatCannotWriteTheirOwnVotesStop() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(SERVERS);
            commit(cluster);
            cluster.awaitEqual();
            Node leader = cluster.awaitLeader();
            List<Node> struck = others(nodes, leader);
            for (Node node : struck) {
                diskOf(nodes, node).setWritable(node.logs(), false);
            }
            leader.close();
            for (Node node : struck) {
                requireNamesDisk(node.awaitFailure());
                assertNull(node.lead.get(), "elected without a vote that was written");
            }
            for (Node node : struck) {
                diskOf(nodes, node).setWritable(node.logs(), true);
                comeBack(nodes, node);
            }
            commit(cluster);
            leader.open(List.of());
            commit(cluster);
            cluster.awaitEqual();
            nodes.forEach(this::requireAll);
        }
    }

    /** What is acknowledged is on two disks at least, so the two that were struck have it without the third. */
    @Test
    void nothingIsAcknowledgedThatAMajorityCouldNotWrite() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(SERVERS);
            commit(cluster);
            Node leader = cluster.awaitLeader();
            Lead lead = Objects.requireNonNull(leader.lead.get());
            List<Node> struck = others(nodes, leader);
            diskOf(nodes, struck.get(0)).fail();
            diskOf(nodes, struck.get(1)).fill();
            TatamiException refused = assertThrows(TatamiException.class, () -> commitUntilRefused(cluster, lead));
            assertEquals(ErrorCode.NOT_LEADER, refused.code(), refused.toString());
            leader.close();
            for (Node node : struck) {
                requireNamesDisk(node.awaitFailure());
                comeBack(nodes, node);
            }
            commit(cluster);
            cluster.awaitEqual();
            struck.forEach(this::requireAll);
            leader.open(List.of());
            commit(cluster);
            cluster.awaitEqual();
            nodes.forEach(this::requireAll);
        }
    }

    private static List<Node> others(List<Node> nodes, Node leader) {
        return nodes.stream().filter(node -> node != leader).toList();
    }

    private FaultyDisk diskOf(List<Node> nodes, Node node) {
        return disks.get(nodes.indexOf(node));
    }

    /** On a disk that is well. */
    private void comeBack(List<Node> nodes, Node struck) throws Exception {
        struck.close();
        diskOf(nodes, struck).heal();
        struck.open(List.of());
    }

    private void commitUntilRefused(ReplicaCluster cluster, Lead lead) throws TatamiException {
        while (true) {
            String key = "e" + acknowledged.size();
            String value = TestSeed.noise(random, VALUE_BYTES);
            lead.log().commit(cluster.entry(lead.store().appliedIndex() + 1, key, value));
            acknowledged.put(key, value);
        }
    }

    private static void requireNamesDisk(TatamiException reason) {
        assertTrue(reason.code() == ErrorCode.IO_ERROR || reason.code() == ErrorCode.NO_SPACE, reason.toString());
        assertTrue(reason.toString().contains("Check the disk"), reason.toString());
    }

    private void commit(ReplicaCluster cluster) throws Exception {
        String key = "e" + acknowledged.size();
        String value = TestSeed.noise(random, VALUE_BYTES);
        cluster.commit(key, value);
        acknowledged.put(key, value);
    }

    private void requireAll(Node node) {
        acknowledged.forEach(
                (key, value) -> assertEquals(value, read(node.replica().store(), key)));
    }
}
