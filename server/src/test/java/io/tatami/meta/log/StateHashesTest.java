package io.tatami.meta.log;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.files.CrashPoint;
import io.tatami.meta.log.ReplicaCluster.Node;
import io.tatami.meta.log.raft.RaftSettings;
import io.tatami.meta.log.raft.snapshot.GroupSnapshots;
import io.tatami.seed.TestSeed;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the replicas of a group have in their stores is the same at every applied index, while leaders and followers end
 * and come back, with their stores or without, and are sent snapshots. What differs is a record, not the running hash
 * of the entries, by which replicas watch each other.
 */
final class StateHashesTest {
    private static final long LIMIT_SECONDS = 120;
    private static final int KEYS = 40;
    private static final int VALUE_BYTES_MAX = 2_000;
    /** Of an entry that is divided into several parts. */
    private static final int LONG_VALUE_BYTES = 300 << 10;

    private static final int SNAPSHOT_ENTRIES = 50;
    private static final long SEGMENT_BYTES = 64 << 10;

    @TempDir
    private Path directory = Path.of("");

    private Random random = new Random(0);

    @AfterEach
    void passCrashPoints() {
        CrashPoint.listen(null);
    }

    @Test
    void storesAreEqualAtEveryIndexWhileLeadersDie() throws Exception {
        run(120, 3);
    }

    @Tag("soak")
    @Test
    void storesAreEqualAtEveryIndexOverManyDeaths() throws Exception {
        run(20_000, 200);
    }

    private void run(int entries, int deaths) throws Exception {
        random = TestSeed.random();
        RaftSettings settings = ReplicaCluster.settings(SNAPSHOT_ENTRIES, SEGMENT_BYTES);
        try (ReplicaCluster cluster = new ReplicaCluster(directory, settings)) {
            List<Node> nodes = cluster.found(3);
            StateWatch watch = new StateWatch(nodes);
            CrashPoint.listen(watch);
            Writer writer = new Writer(cluster, random.nextLong());
            try {
                for (int death = 1; death <= deaths; death++) {
                    writer.await(entries * death / (deaths + 1));
                    dieAndComeBack(cluster, nodes, writer);
                }
                writer.await(entries);
            } finally {
                writer.end();
            }
            cluster.awaitEqual();
            long applied = nodes.get(0).progress().getAppliedIndex();
            watch.requireEqual(applied);
            nodes.forEach(node -> assertTrue(node.failures.isEmpty(), () -> node.member + ": " + node.failures));
        }
    }

    /** Two times of three who leads; the store is lost every second time, as after a loss of power. */
    private void dieAndComeBack(ReplicaCluster cluster, List<Node> nodes, Writer writer) throws Exception {
        Node dying = random.nextInt(3) > 0 ? cluster.awaitLeader() : nodes.get(random.nextInt(nodes.size()));
        dying.close();
        if (random.nextBoolean()) {
            GroupSnapshots.delete(dying.store());
        }
        writer.await(writer.written() + 1 + random.nextInt(2 * SNAPSHOT_ENTRIES));
        dying.open(List.of());
    }

    /** Commits random changes until it is ended. */
    private static final class Writer {
        private final AtomicBoolean ended = new AtomicBoolean();
        private final AtomicInteger written = new AtomicInteger();
        private final CompletableFuture<Void> work;

        Writer(ReplicaCluster cluster, long seed) {
            Random random = new Random(seed);
            this.work = CompletableFuture.runAsync(() -> {
                while (!ended.get()) {
                    try {
                        cluster.commit(changes(random));
                        written.incrementAndGet();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                }
            });
        }

        int written() {
            return written.get();
        }

        void await(int entries) throws Exception {
            ReplicaCluster.await(entries + " entries", () -> written.get() >= entries || work.isDone());
            assertTrue(!work.isDone(), "the writer has ended");
        }

        void end() throws Exception {
            ended.set(true);
            work.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Of one entry: some keys get values, some go. */
    private static String[] changes(Random random) {
        List<String> changes = new ArrayList<>();
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            changes.add("key" + random.nextInt(KEYS));
            changes.add(random.nextInt(4) == 0 ? "" : TestSeed.noise(random, 1 + random.nextInt(VALUE_BYTES_MAX)));
        }
        if (random.nextInt(50) == 0) {
            for (int i = 0; i < 4; i++) {
                changes.add("long" + i);
                changes.add(TestSeed.noise(random, LONG_VALUE_BYTES));
            }
        }
        return changes.toArray(new String[0]);
    }
}
