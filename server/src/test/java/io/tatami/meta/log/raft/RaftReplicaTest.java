package io.tatami.meta.log.raft;

import static io.tatami.meta.log.ReplicaCluster.await;
import static io.tatami.meta.log.ReplicaCluster.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.log.ReplicaCluster;
import io.tatami.meta.log.ReplicaCluster.Lead;
import io.tatami.meta.log.ReplicaCluster.Node;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.seed.TestSeed;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three servers and more, each with a replica of one group, over real logs, stores and sockets. */
final class RaftReplicaTest {
    private static final long LIMIT_SECONDS = 120;

    @TempDir
    private Path directory = Path.of("");

    private final Random random = TestSeed.random();

    /** A term of leadership in which so many confirmations have come; a slow machine may need several for it. */
    private static Lead awaitConfirmed(ReplicaCluster cluster, int confirmations) throws Exception {
        AtomicReference<@Nullable Lead> found = new AtomicReference<>();
        await("a leader that is confirmed", () -> {
            Lead lead = cluster.awaitLeader().lead.get();
            if (lead != null && isConfirmed(lead, confirmations)) {
                found.set(lead);
            }
            return found.get() != null;
        });
        Lead lead = found.get();
        return lead == null ? fail("no leader") : lead;
    }

    private static boolean isConfirmed(Lead lead, int confirmations) throws Exception {
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (int i = 0; i < confirmations; i++) {
            all.add(lead.log().confirm());
        }
        boolean confirmed = true;
        for (CompletableFuture<Void> one : all) {
            try {
                Void unused = one.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                System.out.println("another try after " + e.getCause());
                confirmed = false;
            }
        }
        return confirmed;
    }

    @Test
    void entriesReachAllReplicasAndTheirHashesAreEqual() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(3);
            for (int i = 0; i < 40; i++) {
                cluster.commit("e" + random.nextInt(20), "v" + i, "f" + i, "x".repeat(random.nextInt(2_000)));
                if (i % 10 == 0) {
                    cluster.awaitEqual();
                }
            }
            cluster.awaitEqual();
            assertEquals(40, nodes.get(0).progress().getAppliedIndex());
            assertNotEquals(0, nodes.get(0).progress().getStateHash());
            for (Node node : nodes) {
                assertEquals("v39", lastOf(node, 39));
            }
            Node leader = cluster.awaitLeader();
            await(
                    "who leads",
                    () -> nodes.stream()
                            .allMatch(node -> node.replica()
                                    .leader()
                                    .equals(leader.replica().leader())));
            assertEquals(3, leader.replica().members().size());
        }
    }

    /** The value of the entry with number {@code i}, which no later one has changed. */
    private static String lastOf(Node node, int i) {
        for (int key = 0; key < 20; key++) {
            if (read(node.replica().store(), "e" + key).equals("v" + i)) {
                return "v" + i;
            }
        }
        return "";
    }

    @Test
    void theLeadersLogTellsWhatItsSegmentsTake() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(1);
            cluster.commit("e1", "x".repeat(1 << 20));
            Lead lead = awaitConfirmed(cluster, 1);
            long bytes = 0;
            try (Stream<Path> files = Files.list(nodes.get(0).logs())) {
                for (Path file : files.toList()) {
                    bytes += file.getFileName().toString().startsWith("log_") ? Files.size(file) : 0;
                }
            }
            assertTrue(bytes > 1 << 20, "the entry is not in it");
            assertEquals(bytes, lead.log().bytes());
        }
    }

    @Test
    void anEntryLongerThanAMessageIsOneBatchAtAll() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(3);
            String[] long6 = new String[12];
            for (int i = 0; i < 6; i++) {
                long6[2 * i] = "e" + i;
                long6[2 * i + 1] = String.valueOf((char) ('a' + i)).repeat(1 << 20);
            }
            cluster.commit(long6);
            cluster.commit("after", "1");
            cluster.awaitEqual();
            assertEquals(2, nodes.get(0).progress().getAppliedIndex());
            for (Node node : nodes) {
                for (int i = 0; i < 6; i++) {
                    assertEquals(long6[2 * i + 1], read(node.replica().store(), "e" + i));
                }
            }
        }
    }

    @Test
    void whatWasAcknowledgedOutlivesItsLeaders() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(3);
            List<Member> members = nodes.stream().map(node -> node.member).toList();
            Map<String, String> acknowledged = new TreeMap<>();
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < 10; i++) {
                    String key = "e" + random.nextInt(1_000);
                    cluster.commit(key, round + "." + i);
                    acknowledged.put(key, round + "." + i);
                }
                Node leader = cluster.awaitLeader();
                leader.close();
                cluster.commit("closed", leader.member.toString());
                leader.open(members);
            }
            cluster.awaitEqual();
            for (Node node : nodes) {
                acknowledged.forEach(
                        (key, value) -> assertEquals(value, read(node.replica().store(), key)));
            }
        }
    }

    @Test
    void aLeaderWithoutAMajorityIsDeposedAndItsCommitsAndConfirmationsFail() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(3);
            List<Member> members = nodes.stream().map(node -> node.member).toList();
            cluster.commit("e", "1");
            Lead before = awaitConfirmed(cluster, 1);
            Node leader = before.node();
            nodes.stream().filter(node -> node != leader).forEach(Node::close);
            TatamiException refused = assertThrows(
                    TatamiException.class,
                    () -> before.log().commit(cluster.entry(before.store().appliedIndex() + 1, "e", "2")));
            assertEquals(ErrorCode.NOT_LEADER, refused.code(), refused.toString());
            ExecutionException unconfirmed = assertThrows(
                    ExecutionException.class, () -> before.log().confirm().get(LIMIT_SECONDS, TimeUnit.SECONDS));
            TatamiException cause = assertInstanceOf(TatamiException.class, unconfirmed.getCause());
            assertEquals(ErrorCode.NOT_LEADER, cause.code());
            await("the word that it follows", () -> leader.lead.get() == null);
            for (Node node : nodes) {
                if (node != leader) {
                    node.open(members);
                }
            }
            cluster.commit("e", "3");
            cluster.awaitEqual();
            // Whether the entry that failed is there, the failure did not say; all agree on it.
            long applied = leader.progress().getAppliedIndex();
            assertTrue(applied == 2 || applied == 3, "applied " + applied);
            assertEquals("3", read(leader.replica().store(), "e"));
            assertThrows(TatamiException.class, () -> before.log().commit(cluster.entry(applied + 1, "e", "4")));
        }
    }

    @Test
    void aDecisionOnAnOldStateIsRefusedByAll() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(3);
            cluster.commit("e", "1");
            ProgressRecord old = cluster.awaitLeader().progress();
            cluster.commit("e", "2");
            cluster.awaitEqual();
            RatisLog log = (RatisLog) awaitConfirmed(cluster, 1).log();
            TatamiException refused =
                    assertThrows(TatamiException.class, () -> log.commit(cluster.entry(2, "e", "old"), old));
            assertEquals(ErrorCode.NOT_LEADER, refused.code(), refused.toString());
            // A log takes nothing after a failure; its leader gives way to the next one, which may be the same server.
            cluster.commit("f", "3");
            cluster.awaitEqual();
            assertEquals(3, nodes.get(0).progress().getAppliedIndex());
            for (Node node : nodes) {
                assertEquals("2", read(node.replica().store(), "e"));
                assertTrue(node.failures.isEmpty());
            }
        }
    }

    @Test
    void aReplicaListensOnTheAddressThatItIsGivenAlone() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            Node node = cluster.found(1).get(0);
            int port = node.member.address().getPort();
            try (Socket reached = new Socket("127.0.0.1", port)) {
                assertTrue(reached.isConnected());
            }
            assertThrows(ConnectException.class, () -> new Socket("127.0.0.2", port).close());
        }
    }

    /** A leader does not stay in doubt because a reply was lost: heartbeats alone would leave it so. */
    @Test
    void anEntryWhoseAcknowledgementsWereLostIsCommittedWithoutAnother() throws Exception {
        RaftSettings patient = ReplicaCluster.settings(Duration.ofSeconds(4), Duration.ofSeconds(6));
        try (ReplicaCluster cluster = new ReplicaCluster(directory, patient).withRelays()) {
            List<Node> nodes = cluster.found(3);
            cluster.commit("e", "1");
            cluster.awaitEqual();
            Node leader = cluster.awaitLeader();
            List<Node> followers = nodes.stream().filter(node -> node != leader).toList();
            followers.forEach(node -> node.relay().holdReplies(true));
            CompletableFuture<Void> commit = CompletableFuture.runAsync(() -> {
                try {
                    cluster.commit("e", "lost-and-found");
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
            for (Node follower : followers) {
                await("the entry in a log", () -> logHas(follower, "lost-and-found"));
            }
            assertFalse(commit.isDone());
            followers.forEach(node -> node.relay().breakConnections());
            followers.forEach(node -> node.relay().holdReplies(false));
            commit.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertEquals(leader, cluster.awaitLeader(), "nobody else was elected for it");
            assertEquals(2, leader.progress().getAppliedIndex());
        }
    }

    private static boolean logHas(Node node, String text) throws IOException {
        try (Stream<Path> files = Files.list(node.logs())) {
            for (Path file : files.toList()) {
                String bytes = Files.readString(file, StandardCharsets.ISO_8859_1);
                if (bytes.contains(text)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Test
    void nobodyIsElectedByAVoteThatIsNotDurable() throws Exception {
        requireNobodyLeadsWhileItFails("meta.raft.before-vote-synced");
    }

    @Test
    void nobodyStandsForElectionWhoseOwnVoteIsNotDurable() throws Exception {
        requireNobodyLeadsWhileItFails("meta.raft.before-candidacy-synced");
    }

    private void requireNobodyLeadsWhileItFails(String point) throws Exception {
        int failures = 6;
        AtomicInteger votes = new AtomicInteger();
        AtomicBoolean ledBefore = new AtomicBoolean();
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            CrashPoint.listen(name -> {
                if (name.equals(point) && votes.incrementAndGet() <= failures) {
                    ledBefore.compareAndSet(false, cluster.isLed());
                    throw new IllegalStateException("a device that does not sync");
                }
            });
            cluster.found(3);
            cluster.commit("e", "1");
            assertTrue(votes.get() > failures, votes + " votes");
            assertFalse(ledBefore.get(), "elected by votes that were lost");
        } finally {
            CrashPoint.listen(null);
        }
    }

    @Test
    void aPortThatIsTakenIsAnErrorThatNamesIt() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            Node node = cluster.add();
            int port = node.member.address().getPort();
            try (ServerSocket taken = new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1"))) {
                TatamiException refused = assertThrows(TatamiException.class, () -> node.open(List.of(node.member)));
                assertEquals(ErrorCode.IO_ERROR, refused.code());
                assertTrue(refused.toString().contains("127.0.0.1:" + taken.getLocalPort()), refused.toString());
            }
            node.open(List.of(node.member));
            cluster.commit("e", "1");
        }
    }

    @Test
    void manyConfirmationsShareRounds() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            cluster.found(3);
            cluster.commit("e", "1");
            assertTrue(awaitConfirmed(cluster, 500).store().appliedIndex() > 0);
        }
    }

    @Test
    void aReplicaThatDiffersStopsAndTheOthersGoOn() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(3);
            List<Member> members = nodes.stream().map(node -> node.member).toList();
            cluster.commit("e", "1");
            cluster.awaitEqual();
            Node leader = cluster.awaitLeader();
            Node differing =
                    nodes.stream().filter(node -> node != leader).findAny().orElseThrow();
            differing.close();
            try (GroupStore store = GroupStore.open(differing.store(), cluster.memory())) {
                ProgressRecord progress = store.progress();
                LogEntry planted = cluster.entry(progress.getAppliedIndex() + 1, "e", "planted");
                store.apply(
                        progress.toBuilder().setAppliedIndex(planted.index()).build(), planted.changes());
            }
            // It cannot lead before it has this entry, and stops at it.
            cluster.commit("f", "1");
            differing.open(members);
            TatamiException found = differing.awaitFailure();
            assertEquals(ErrorCode.CORRUPT, found.code(), found.toString());
            assertTrue(found.toString().contains("entry 2"), found.toString());
            cluster.commit("f", "2");
            assertTrue(nodes.stream().filter(node -> node != differing).allMatch(node -> node.failures.isEmpty()));
        }
    }
}
