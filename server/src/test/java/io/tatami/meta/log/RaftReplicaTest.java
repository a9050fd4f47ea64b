package io.tatami.meta.log;

import static io.tatami.meta.log.ReplicaCluster.await;
import static io.tatami.meta.log.ReplicaCluster.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.tatami.base.CrashPoint;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.ReplicaCluster.Lead;
import io.tatami.meta.log.ReplicaCluster.Node;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.store.GroupStore;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three servers and more, each with a replica of one group, over real logs, stores and sockets. */
final class RaftReplicaTest {
    private static final long LIMIT_SECONDS = 120;

    @TempDir
    private Path directory = Path.of("");

    private Random random = new Random(0);

    @BeforeEach
    void printSeed() {
        long seed = Long.getLong("tatami.test.seed", System.nanoTime() & 0xffff_ffffL);
        System.out.println("replay with -Dtatami.test.seed=" + seed);
        random = new Random(seed);
    }

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
        try (Stream<Path> files = Files.list(logsOf(node))) {
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
        int failures = 12;
        AtomicInteger votes = new AtomicInteger();
        AtomicBoolean ledBefore = new AtomicBoolean();
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            CrashPoint.listen(name -> {
                if (name.equals("meta.raft.before-vote-synced")) {
                    if (votes.incrementAndGet() <= failures) {
                        ledBefore.compareAndSet(false, cluster.isLed());
                        throw new IllegalStateException("a device that does not sync");
                    }
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
    void manyConfirmationsShareRounds() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            cluster.found(3);
            cluster.commit("e", "1");
            assertTrue(awaitConfirmed(cluster, 500).store().appliedIndex() > 0);
        }
    }

    @Test
    void aRestartedReplicaHasWhatItHadAndGoesOn() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(3);
            for (int i = 0; i < 20; i++) {
                cluster.commit("e" + i, "v" + i);
            }
            cluster.awaitEqual();
            long hash = nodes.get(0).progress().getStateHash();
            nodes.forEach(Node::close);
            // What its store had in memory is lost with a crash: as if it had never been written.
            Node crashed = nodes.get(random.nextInt(3));
            GroupSnapshots.delete(crashed.store());
            for (Node node : nodes) {
                node.open(List.of());
            }
            await(
                    "all entries",
                    () -> nodes.stream().allMatch(node -> node.progress().getAppliedIndex() == 20));
            cluster.awaitEqual();
            assertEquals(hash, crashed.progress().getStateHash());
            assertEquals("v7", read(crashed.replica().store(), "e7"));
            cluster.commit("more", "1");
            cluster.awaitEqual();
        }
    }

    @Test
    void aReplicaThatWasAwayForLongGetsASnapshot() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings(20, 64 << 10))) {
            List<Node> nodes = cluster.found(3);
            List<Member> members = nodes.stream().map(node -> node.member).toList();
            cluster.commit("e", "first");
            cluster.awaitEqual();
            Node leader = cluster.awaitLeader();
            Node away = nodes.stream().filter(node -> node != leader).findAny().orElseThrow();
            away.close();
            for (int i = 0; i < 60; i++) {
                byte[] noise = new byte[4_000];
                random.nextBytes(noise);
                cluster.commit("e" + i, HexFormat.of().formatHex(noise));
            }
            // Where the log of the others begins behind what this one has, only a snapshot helps it.
            Path logs = logsOf(leader);
            await("a log that was cut", () -> firstEntry(logs) > 10);
            await("a log and snapshots that are bounded", () -> bytesBelow(leader.home) < 60 * 8_000 * 12);
            away.open(members);
            cluster.commit("e", "last");
            cluster.awaitEqual();
            assertEquals("last", read(away.replica().store(), "e"));
            assertEquals(8_000, read(away.replica().store(), "e59").length());
            assertTrue(away.failures.isEmpty());
            // What it was sent is as good as its own.
            away.close();
            away.open(members);
            cluster.commit("e", "very last");
            cluster.awaitEqual();
        }
    }

    private static Path logsOf(Node node) throws IOException {
        try (Stream<Path> below = Files.walk(node.home.resolve("raft"))) {
            return below.filter(path -> path.endsWith("current")).findFirst().orElseThrow();
        }
    }

    /** Of the oldest file of a log: log_FIRST-LAST or log_inprogress_FIRST. */
    private static long firstEntry(Path logs) throws IOException {
        try (Stream<Path> files = Files.list(logs)) {
            return files.map(path -> path.getFileName().toString())
                    .filter(name -> name.startsWith("log_"))
                    .map(name -> name.replace("log_inprogress_", "")
                            .replace("log_", "")
                            .replaceAll("-.*", ""))
                    .mapToLong(Long::parseLong)
                    .min()
                    .orElse(0);
        }
    }

    /** Of files, some of which may go meanwhile. */
    private static long bytesBelow(Path home) throws IOException {
        AtomicLong bytes = new AtomicLong();
        Files.walkFileTree(home, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                bytes.addAndGet(attributes.size());
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException e) throws IOException {
                if (e == null || e instanceof NoSuchFileException) {
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
        return bytes.get();
    }

    @Test
    void membersComeAndGoWhileEntriesGoOn() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = new ArrayList<>(cluster.found(3));
            cluster.commit("e", "1");
            Node fourth = cluster.add();
            fourth.open(List.of());
            nodes.add(fourth);
            AtomicBoolean done = new AtomicBoolean();
            AtomicInteger written = new AtomicInteger();
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> {
                while (!done.get()) {
                    try {
                        cluster.commit("w" + written.get(), "x");
                        written.incrementAndGet();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }
            });
            setMembers(cluster, nodes);
            Node gone = nodes.remove(random.nextInt(3));
            setMembers(cluster, nodes);
            gone.close();
            int seen = written.get();
            await("entries after it", () -> written.get() > seen);
            done.set(true);
            writer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            cluster.awaitEqual();
            assertEquals(written.get() + 1, fourth.progress().getAppliedIndex());
            assertEquals("x", read(fourth.replica().store(), "w0"));
            await("the new members", () -> fourth.replica().members().size() == 3);
        }
    }

    /** Three chunks or more are sent of a store of three megabytes: Ratis waits for none of the first. */
    @Test
    void aNewMemberTakesInItsSnapshotNoFasterThanIsSet() throws Exception {
        long bytesPerSecond = 1 << 20;
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.receivingAt(bytesPerSecond))) {
            List<Node> nodes = new ArrayList<>(cluster.found(1));
            int entries = 8;
            int each = 200_000;
            for (int i = 0; i < entries; i++) {
                byte[] noise = new byte[each];
                random.nextBytes(noise);
                cluster.commit("e" + i, HexFormat.of().formatHex(noise));
            }
            Node fresh = cluster.add();
            fresh.open(List.of());
            nodes.add(fresh);
            long beganNanos = System.nanoTime();
            setMembers(cluster, nodes);
            double seconds = (System.nanoTime() - beganNanos) / 1e9;
            cluster.awaitEqual();
            // Half of what is written in hexadecimal is left when it is compressed.
            double least = (double) entries * each / bytesPerSecond;
            assertTrue(seconds > least, "took " + seconds + " s, and " + least + " is the least that the rate allows");
        }
    }

    /** What a wiped server acknowledged under its old id would count as a majority that is not there. */
    @Test
    void aWipedServerAtTheSameAddressDoesNotAnswerForTheMemberThatItWas() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = new ArrayList<>(cluster.found(3));
            List<Member> members = nodes.stream().map(node -> node.member).toList();
            cluster.commit("e", "1");
            cluster.awaitEqual();
            Node leader = cluster.awaitLeader();
            nodes.remove(leader);
            Node wiped = nodes.get(0);
            Node other = nodes.get(1);
            wiped.close();
            Node fresh = cluster.addAt(wiped.member.address());
            fresh.open(List.of());
            cluster.commit("e", "2");
            other.close();
            await("a leader without a majority steps down", () -> leader.lead.get() == null);
            other.open(members);
            cluster.commit("e", "3");
            assertEquals(0, fresh.progress().getAppliedIndex());
            setMembers(cluster, List.of(leader, other, fresh));
            cluster.awaitEqual();
            assertEquals("3", read(fresh.replica().store(), "e"));
        }
    }

    /** By whoever leads, as often as it takes. */
    private static void setMembers(ReplicaCluster cluster, List<Node> nodes) throws Exception {
        List<Member> members = nodes.stream().map(node -> node.member).toList();
        await("a change of members", () -> {
            try {
                Void unused =
                        cluster.awaitLeader().replica().setMembers(members).get(LIMIT_SECONDS, TimeUnit.SECONDS);
                return true;
            } catch (ExecutionException e) {
                System.out.println("another try after " + e.getCause());
                return false;
            }
        });
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
                        progress.toBuilder().setAppliedIndex(planted.index()).build(),
                        planted.changes(),
                        GroupStore.Durability.WRITE_AHEAD_LOG);
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

    @Test
    void aServerThatLostItsLogDoesNotComeBack() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            Node only = cluster.found(1).get(0);
            cluster.commit("e", "1");
            only.close();
            GroupSnapshots.delete(logsOf(only).resolve("..").normalize());
            TatamiException noLog = assertThrows(TatamiException.class, () -> only.open(List.of(only.member)));
            assertEquals(ErrorCode.CORRUPT, noLog.code(), noLog.toString());
            only.close();
            GroupSnapshots.delete(only.home.resolve("raft"));
            TatamiException noLogs = assertThrows(TatamiException.class, () -> only.open(List.of(only.member)));
            assertEquals(ErrorCode.CORRUPT, noLogs.code(), noLogs.toString());
        }
    }

    @Test
    void aLocalGroupBecomesTheFirstReplicaAndItsOldLogTakesNothingMore() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            Node first = cluster.add();
            Files.createDirectories(first.home);
            long hash;
            try (GroupStore store = GroupStore.create(first.store(), cluster.memory())) {
                LocalLog local = new LocalLog(store);
                local.commit(cluster.entry(1, "old", "1"));
                local.commit(cluster.entry(2, "old", "2"));
                hash = store.progress().getStateHash();
            }
            first.open(List.of(first.member));
            cluster.commit("new", "3");
            assertEquals(3, first.progress().getAppliedIndex());
            assertNotEquals(hash, first.progress().getStateHash());
            Node second = cluster.add();
            Node third = cluster.add();
            second.open(List.of());
            third.open(List.of());
            setMembers(cluster, List.of(first, second, third));
            cluster.commit("new", "4");
            cluster.awaitEqual();
            assertEquals("2", read(third.replica().store(), "old"));
            first.close();
            cluster.commit("new", "5");
            try (GroupStore store = GroupStore.open(first.store(), cluster.memory())) {
                TatamiException sealed = assertThrows(
                        TatamiException.class,
                        () -> new LocalLog(store).commit(cluster.entry(store.appliedIndex() + 1, "old", "3")));
                assertEquals(ErrorCode.UNSUPPORTED, sealed.code());
            }
        }
    }
}
