package io.tatami.meta.log;

import static io.tatami.meta.log.ReplicaCluster.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.crash.LoopMount;
import io.tatami.files.CrashPoint;
import io.tatami.files.LiveFiles;
import io.tatami.meta.log.ReplicaCluster.Node;
import io.tatami.meta.log.flush.FlushMode;
import io.tatami.meta.log.flush.TreeFlush;
import io.tatami.meta.log.raft.Member;
import io.tatami.meta.log.raft.RaftSettings;
import io.tatami.meta.log.raft.snapshot.GroupSnapshots;
import io.tatami.meta.log.raft.snapshot.SnapshotProgress;
import io.tatami.meta.store.GroupStore;
import io.tatami.seed.TestSeed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.server.protocol.TermIndex;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When a replica has made durable what it says it has of its leader's snapshot. */
final class ReceivedSnapshotTest {
    private static final long IMAGE_BYTES = 96L << 20;
    private static final int ENTRIES = 60;
    private static final long LIMIT_SECONDS = 120;
    private static final String BEFORE_FLUSH = "meta.snapshot.before-flush";
    private static final String FLUSHED = "meta.snapshot.flushed";
    private static final String RENAMED = "meta.snapshot.renamed";
    private static final String BEFORE_TOLD = "meta.snapshot.before-told";
    private static final List<String> STEPS = List.of(
            BEFORE_FLUSH,
            FLUSHED,
            RENAMED,
            BEFORE_TOLD,
            "meta.snapshot.copied",
            "meta.snapshot.old-aside",
            "meta.snapshot.in-place");

    @TempDir
    private Path directory = Path.of("");

    private final AtomicInteger copies = new AtomicInteger();
    private final Random random = TestSeed.random();

    @AfterEach
    void listenNoMore() {
        CrashPoint.listen(null);
    }

    /** Founders of a group, the last of them in {@code home} and away since before the others cut their log. */
    private Node awayForLong(ReplicaCluster cluster, Path home) throws Exception {
        List<Node> nodes = new ArrayList<>(List.of(cluster.add(), cluster.add(), cluster.addIn(home)));
        List<Member> members = nodes.stream().map(node -> node.member).toList();
        for (Node node : nodes) {
            node.open(members);
        }
        cluster.commit("e", "first");
        cluster.awaitEqual();
        return awayForLong(cluster, nodes.get(2));
    }

    /** The same for one of them. */
    private Node awayForLong(ReplicaCluster cluster, Node away) throws Exception {
        away.close();
        for (int i = 0; i < ENTRIES; i++) {
            cluster.commit("e" + i, TestSeed.noise(random, 4_000));
        }
        return away;
    }

    private static ReplicaCluster cluster(Path directory, FlushMode mode) {
        return new ReplicaCluster(directory, ReplicaCluster.flushing(mode, 20, 64 << 10));
    }

    private static void openAgain(Node node) throws Exception {
        node.open(List.of());
    }

    @ParameterizedTest
    @EnumSource(FlushMode.class)
    void allIsFlushedOnceAndThenNamedAndThenTold(FlushMode mode) throws Exception {
        try (ReplicaCluster cluster = cluster(directory, mode)) {
            Path home = directory.resolve("away");
            Node away = awayForLong(cluster, home);
            List<String> steps = new CopyOnWriteArrayList<>();
            List<String> wrong = new CopyOnWriteArrayList<>();
            CrashPoint.listen(name -> {
                if (name.startsWith("meta.snapshot.")) {
                    steps.add(name);
                }
                if (name.equals(BEFORE_FLUSH)
                        && (!snapshots(home, "sm").isEmpty()
                                || snapshots(home, "tmp").stream().noneMatch(path -> isSound(cluster, path)))) {
                    wrong.add("named before it was flushed, or flushed before it was whole");
                }
                if (name.equals(RENAMED) && snapshots(home, "sm").isEmpty()) {
                    wrong.add("not there under its name");
                }
            });
            openAgain(away);
            cluster.commit("e", "last");
            cluster.awaitEqual();
            assertEquals(List.of(), wrong);
            assertEquals(List.of(BEFORE_FLUSH, FLUSHED, RENAMED, BEFORE_TOLD), told(steps));
            assertEquals("last", read(away.replica().store(), "e"));
            assertTrue(
                    everyFile(home).stream().noneMatch(file -> file.toString().endsWith(".md5")));
        }
    }

    /** What happens on the way of the reply, without what another thread does when Ratis has the files. */
    private static List<String> told(List<String> steps) {
        return steps.stream()
                .filter(STEPS.subList(0, STEPS.indexOf(BEFORE_TOLD) + 1)::contains)
                .toList();
    }

    @Tag("soak")
    @Test
    void itTellsHowMuchHasCome() throws Exception {
        RaftSettings slow = ReplicaCluster.receivingAt(1 << 20);
        try (ReplicaCluster cluster = new ReplicaCluster(directory, slow)) {
            Node only = cluster.found(1).get(0);
            for (int i = 0; i < 20; i++) {
                cluster.commit("e" + i, TestSeed.noise(random, 500_000));
            }
            Node fresh = cluster.add();
            openAgain(fresh);
            assertEquals(Optional.empty(), fresh.replica().receiving());
            CompletableFuture<Void> added = only.replica().setMembers(List.of(only.member, fresh.member));
            List<SnapshotProgress> seen = new ArrayList<>();
            ReplicaCluster.await("a new member", () -> {
                fresh.replica().receiving().ifPresent(seen::add);
                return added.isDone();
            });
            added.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            assertTrue(
                    seen.stream().anyMatch(now -> now.bytes() > 0 && now.bytes() < now.bytesTotal()), seen::toString);
            for (int i = 1; i < seen.size(); i++) {
                assertEquals(seen.get(0).bytesTotal(), seen.get(i).bytesTotal());
                assertTrue(seen.get(i).bytes() >= seen.get(i - 1).bytes(), seen.toString());
            }
            assertTrue(seen.get(0).bytesTotal() > 20 * 500_000, seen.toString());
            assertEquals(Optional.empty(), fresh.replica().receiving());
        }
    }

    @Test
    void aFlushThatFailsEndsTheReplicaBeforeTheLeaderCountsOnIt() throws Exception {
        try (ReplicaCluster cluster = cluster(directory, FlushMode.ONCE)) {
            Node away = awayForLong(cluster, directory.resolve("away"));
            away.flush = new TreeFlush() {
                @Override
                public void flush(Path tree) throws IOException {
                    throw new IOException("planted for " + tree);
                }

                @Override
                public void close() {
                    // Holds nothing.
                }
            };
            openAgain(away);
            TatamiException reason = away.awaitFailure();
            assertEquals(ErrorCode.IO_ERROR, reason.code(), reason.toString());
            assertTrue(reason.toString().contains("planted for"), reason.toString());
            assertEquals(List.of(), snapshots(away.home, "sm"));
            away.close();
            away.flush = null;
            openAgain(away);
            cluster.commit("e", "last");
            cluster.awaitEqual();
            assertEquals("last", read(away.replica().store(), "e"));
        }
    }

    @Test
    void aReplicaComesBackFromAPowerCutAtAStep() throws Exception {
        FlushMode mode = FlushMode.values()[random.nextInt(FlushMode.values().length)];
        List<String> some = new ArrayList<>(STEPS);
        some.remove(BEFORE_TOLD);
        Collections.shuffle(some, random);
        cutPower(mode, List.of(BEFORE_TOLD, some.get(0)));
    }

    @ParameterizedTest
    @EnumSource(FlushMode.class)
    @Tag("soak")
    void aReplicaComesBackFromAPowerCutAtEveryStep(FlushMode mode) throws Exception {
        cutPower(mode, STEPS);
    }

    /**
     * The replica's directory is on a file system in a file. At each step others are cut off, and the file is copied:
     * it holds what had reached the device by then. With that the replica comes back, and is away for long again.
     */
    private void cutPower(FlushMode mode, List<String> steps) throws Exception {
        Path mountPoint = directory.resolve("mounted");
        Path image = directory.resolve("image");
        LoopMount.make(image, IMAGE_BYTES, mountPoint).close();
        try (ReplicaCluster cluster = cluster(directory, mode).withRelays()) {
            @Nullable Node away = null;
            for (String step : steps) {
                Path copy = directory.resolve("image-" + step);
                try (LoopMount mount = LoopMount.mount(image, mountPoint)) {
                    away = away == null
                            ? awayForLong(cluster, mount.directory().resolve("away"))
                            : awayForLong(cluster, away);
                    cutPower(cluster, away, step, () -> mount.copyTo(copy));
                }
                Files.delete(image);
                image = copy;
                try (LoopMount mount = LoopMount.mount(image, mountPoint)) {
                    assertTrue(away.home.startsWith(mount.directory()));
                    try {
                        requireSnapshot(cluster, away.home, step);
                        comeBack(cluster, away, step);
                    } finally {
                        away.close();
                    }
                }
            }
        }
    }

    /** What the moment of the cut does. */
    private interface Cut {
        void run() throws IOException;
    }

    private static void cutPower(ReplicaCluster cluster, Node away, String step, Cut cut) throws Exception {
        AtomicBoolean reached = new AtomicBoolean();
        CompletableFuture<Void> done = new CompletableFuture<>();
        CrashPoint.listen(name -> {
            if (!name.equals(step) || !reached.compareAndSet(false, true)) {
                return;
            }
            away.relay().cut(true);
            try {
                cut.run();
                done.complete(null);
            } catch (IOException e) {
                done.completeExceptionally(e);
            }
        });
        openAgain(away);
        cluster.commit("e", "while " + step);
        done.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        CrashPoint.listen(null);
        away.close();
        away.relay().cut(false);
    }

    private void requireSnapshot(ReplicaCluster cluster, Path home, String step) {
        if (STEPS.indexOf(step) < STEPS.indexOf(FLUSHED)) {
            return;
        }
        List<Path> there = new ArrayList<>(snapshots(home, "sm"));
        if (STEPS.indexOf(step) < STEPS.indexOf(BEFORE_TOLD)) {
            there.addAll(snapshots(home, "tmp"));
        }
        assertFalse(there.isEmpty(), "no snapshot after " + step);
        there.forEach(path -> assertTrue(isSound(cluster, path), path + " is damaged after " + step));
    }

    private static void comeBack(ReplicaCluster cluster, Node away, String step) throws Exception {
        openAgain(away);
        cluster.commit("e", step);
        cluster.awaitEqual();
        assertEquals(step, read(away.replica().store(), "e"));
        assertEquals(List.of(), snapshots(away.home, "tmp"), "what was on its way is left after " + step);
        assertTrue(away.failures.isEmpty(), () -> step + ": " + away.failures);
    }

    /** The directories of those in {@code sm}, or on their way in {@code tmp}, that have a file. */
    private static List<Path> snapshots(Path home, String below) {
        return everyFile(home.resolve("raft")).stream()
                .map(Path::getParent)
                .distinct()
                .filter(path -> path.getFileName().toString().matches("snapshot-\\d+-\\d+-.*"))
                .filter(path -> home.relativize(path).toString().contains("/" + below + "/"))
                .toList();
    }

    private static List<Path> everyFile(Path home) {
        List<Path> files = new ArrayList<>();
        try {
            LiveFiles.visit(home, (file, attributes) -> files.add(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    /** Whether a store can be made of it that has all checksums right. */
    private boolean isSound(ReplicaCluster cluster, Path snapshot) {
        Path copy = directory.resolve("copy-" + copies.incrementAndGet());
        try {
            GroupSnapshots.copyTo(copy, new GroupSnapshots.Snapshot(snapshot, TermIndex.INITIAL_VALUE, 0, 0));
            try (GroupStore store = GroupStore.open(copy, cluster.memory())) {
                store.verify();
                return store.appliedIndex() > 1;
            } finally {
                GroupSnapshots.delete(copy);
            }
        } catch (IOException e) {
            System.out.println(snapshot + ": " + e);
            return false;
        }
    }
}
