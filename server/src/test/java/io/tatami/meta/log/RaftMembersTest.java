package io.tatami.meta.log;

import static io.tatami.meta.log.ReplicaCluster.await;
import static io.tatami.meta.log.ReplicaCluster.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.ReplicaCluster.Node;
import io.tatami.meta.log.local.LocalLog;
import io.tatami.meta.log.raft.Member;
import io.tatami.meta.log.raft.RaftSettings;
import io.tatami.meta.log.raft.snapshot.SnapshotProgress;
import io.tatami.meta.store.GroupStore;
import io.tatami.seed.TestSeed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas come to a group and go, over real logs, stores and sockets. */
final class RaftMembersTest {
    private static final long LIMIT_SECONDS = 120;

    @TempDir
    private Path directory = Path.of("");

    private final Random random = TestSeed.random();

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
                cluster.commit("e" + i, TestSeed.noise(random, each));
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

    /** What is on its way for some seconds is written anew several times in each. */
    @Test
    void aNewMemberComesAlthoughItsSnapshotIsOvertakenManyTimes() throws Exception {
        RaftSettings settings = ReplicaCluster.receivingAt(1 << 20, 20, 64 << 10);
        try (ReplicaCluster cluster = new ReplicaCluster(directory, settings)) {
            Node only = cluster.found(1).get(0);
            for (int i = 0; i < 8; i++) {
                cluster.commit("e" + i, TestSeed.noise(random, 400_000));
            }
            Node fresh = cluster.add();
            fresh.open(List.of());
            CompletableFuture<Void> added = only.replica().setMembers(List.of(only.member, fresh.member));
            Path snapshots = only.logs().resolveSibling("sm");
            Set<Path> overtaking = new HashSet<>();
            Set<Long> sent = new HashSet<>();
            await("a new member", () -> {
                cluster.commit("w", TestSeed.noise(random, 2_000));
                overtaking.addAll(below(snapshots));
                fresh.replica().receiving().map(SnapshotProgress::bytesTotal).ifPresent(sent::add);
                return added.isDone();
            });
            added.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertTrue(overtaking.size() > 4, overtaking::toString);
            assertEquals(1, sent.size(), () -> "sent again: " + sent);
            cluster.awaitEqual();
            await("what was kept for it to go", () -> {
                cluster.commit("w", "x");
                return below(snapshots).size() == 2;
            });
        }
    }

    private static List<Path> below(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.toList();
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

    @Test
    void aLocalGroupBecomesTheFirstReplicaAndItsOldLogTakesNothingMore() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            Node first = cluster.add();
            Files.createDirectories(first.home);
            long hash;
            try (GroupStore store = GroupStore.create(first.store(), cluster.memory())) {
                LocalLog local = local(first, store);
                local.commit(cluster.entry(1, "old", "1"));
                local.commit(cluster.entry(2, "old", "2"));
                hash = store.progress().getStateHash();
                local.close();
                local.retire();
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
                TatamiException sealed = assertThrows(TatamiException.class, () -> local(first, store));
                assertEquals(ErrorCode.UNSUPPORTED, sealed.code());
            }
        }
    }

    private static LocalLog local(Node node, GroupStore store) throws TatamiException {
        return new LocalLog(new LocalLog.Location(node.store(), new UUID(1, 1), GroupId.ofShard(0)), store, 1 << 20);
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
}
