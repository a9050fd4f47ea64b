package io.tatami.meta.log.raft.transport;

import static io.tatami.meta.log.ReplicaCluster.await;
import static org.junit.jupiter.api.Assertions.assertNotSame;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.files.CrashPoint;
import io.tatami.meta.log.ReplicaCluster;
import io.tatami.meta.log.ReplicaCluster.Node;
import io.tatami.meta.log.raft.RatisNames;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replica that has all entries in its log, but has yet to apply them, leaves it to another one to lead. */
final class ReadyCandidatesTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void aReplicaThatHasYetToApplyMuchDoesNotLeadUntilItHas() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings());
                HeldUp held = new HeldUp()) {
            List<Node> nodes = cluster.found(3);
            cluster.commit("e", "first");
            cluster.awaitEqual();
            Node leader = cluster.awaitLeader();
            Node behind =
                    nodes.stream().filter(node -> node != leader).findAny().orElseThrow();
            held.holdUp(behind);
            // A follower hears that an entry is committed with one of the next.
            for (int i = 0; i < ReadyCandidates.BEHIND_MAX + 20; i++) {
                cluster.commit("e", "v" + i);
            }
            held.isWaiting.await();
            await("an answer of a leader that led long enough", () -> triesToHandOver(cluster, behind));
            cluster.commit("e", "more");
            Node last = cluster.awaitLeader();
            Node third = nodes.stream()
                    .filter(node -> node != behind && node != last)
                    .findAny()
                    .orElseThrow();
            // The leader and the one behind commit without it; and without all entries it would have no vote.
            await("all entries at the third one", () -> applied(third) == applied(last));
            last.close();
            cluster.commit("e", "yet more");
            assertNotSame(behind, cluster.awaitLeader());
            held.letGo();
            last.open(List.of());
            cluster.awaitEqual();
            await("the one that was behind as the leader", () -> {
                boolean unused = triesToHandOver(cluster, behind);
                return behind.lead.get() != null;
            });
            cluster.commit("e", "last");
            cluster.awaitEqual();
        }
    }

    private static long applied(Node node) {
        return node.progress().getAppliedIndex();
    }

    /** A replica that applies nothing more until this is closed. */
    private static final class HeldUp implements AutoCloseable {
        final CountDownLatch isWaiting = new CountDownLatch(1);
        private final CountDownLatch closed = new CountDownLatch(1);

        void holdUp(Node node) {
            String threads = RatisNames.peer(node.member.server()) + "@";
            CrashPoint.listen(name -> {
                if (name.equals("meta.apply.before-write")
                        && Thread.currentThread().getName().startsWith(threads)) {
                    isWaiting.countDown();
                    awaitClosed();
                }
            });
        }

        private void awaitClosed() {
            try {
                closed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        void letGo() {
            CrashPoint.listen(null);
            closed.countDown();
        }

        @Override
        public void close() {
            letGo();
        }
    }

    /** False where the leader did not try, as it has not led for long. */
    private static boolean triesToHandOver(ReplicaCluster cluster, Node successor) throws Exception {
        try {
            Void unused = cluster.awaitLeader()
                    .replica()
                    .handOver(successor.member.server())
                    .join();
            return true;
        } catch (CompletionException e) {
            return Causes.of(e).code() != ErrorCode.BUSY;
        }
    }
}
