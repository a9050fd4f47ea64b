package io.tatami.meta.log;

import static io.tatami.meta.log.ReplicaCluster.await;
import static io.tatami.meta.log.ReplicaCluster.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.crash.DirectoryCopy;
import io.tatami.files.CrashPoint;
import io.tatami.files.LiveFiles;
import io.tatami.meta.log.ReplicaCluster.Node;
import io.tatami.meta.log.flush.FlushMode;
import io.tatami.meta.log.raft.Member;
import io.tatami.meta.log.raft.RaftSettings;
import io.tatami.meta.log.raft.snapshot.GroupSnapshots;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.seed.TestSeed;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Replicas come back with what they had, with what the others have made of it meanwhile, or not at all. */
final class RaftRestartTest {
    @TempDir
    private Path directory = Path.of("");

    private final Random random = TestSeed.random();

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
    void aRestartedReplicaHasNotToApplyWhatItsStoreHas() throws Exception {
        int entries = 150;
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            Node only = cluster.found(1).get(0);
            for (int i = 0; i < entries; i++) {
                cluster.commit("e" + i, "v" + i);
            }
            long last = only.progress().getRaftIndex();
            only.close();
            only.open(List.of());
            assertEquals(List.of(last), only.snapshots());
            cluster.commit("more", "1");
            assertEquals("v7", read(only.replica().store(), "e7"));
        }
    }

    @Test
    void aStartThatEndsOnceItHasKeptWhatTheStoreHasIsBegunAnew() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            Node only = cluster.found(1).get(0);
            for (int i = 0; i < 150; i++) {
                cluster.commit("e" + i, "v" + i);
            }
            ProgressRecord before = only.progress();
            only.close();
            Path halted = directory.resolve("halted");
            CrashPoint.listen(name -> {
                if (name.equals("raft.open.progress-kept")) {
                    copyTo(halted, only.home);
                }
            });
            try {
                only.open(List.of());
            } finally {
                CrashPoint.listen(null);
            }
            only.close();
            GroupSnapshots.delete(only.home);
            Files.move(halted, only.home);
            only.open(List.of());
            assertEquals(before, only.progress());
            assertEquals(List.of(before.getRaftIndex()), only.snapshots());
            cluster.commit("more", "1");
            assertEquals("v149", read(only.replica().store(), "e149"));
        }
    }

    /** In none of its lives so much comes that a snapshot were due. */
    @Test
    void theLogOfAReplicaThatIsOftenRestartedIsCut() throws Exception {
        RaftSettings settings = new RaftSettings(
                Duration.ofMillis(400),
                Duration.ofMillis(800),
                1_000_000,
                256 << 10,
                64 << 10,
                64 << 20,
                FlushMode.ONCE);
        try (ReplicaCluster cluster = new ReplicaCluster(directory, settings)) {
            Node only = cluster.found(1).get(0);
            for (int life = 0; life < 4; life++) {
                for (int i = 0; i < 120; i++) {
                    cluster.commit("e" + i, TestSeed.noise(random, 500));
                }
                only.close();
                only.open(List.of());
            }
            cluster.commit("more", "1");
            Path logs = only.logs();
            await("a log that was cut", () -> firstEntry(logs) > 0);
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
                cluster.commit("e" + i, TestSeed.noise(random, 4_000));
            }
            // Where the log of the others begins behind what this one has, only a snapshot helps it.
            Path logs = leader.logs();
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

    @Test
    void aServerThatLostItsLogDoesNotComeBack() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            Node only = cluster.found(1).get(0);
            cluster.commit("e", "1");
            only.close();
            GroupSnapshots.delete(only.logs().resolve("..").normalize());
            TatamiException noLog = assertThrows(TatamiException.class, () -> only.open(List.of(only.member)));
            assertEquals(ErrorCode.CORRUPT, noLog.code(), noLog.toString());
            only.close();
            GroupSnapshots.delete(only.home.resolve("raft"));
            TatamiException noLogs = assertThrows(TatamiException.class, () -> only.open(List.of(only.member)));
            assertEquals(ErrorCode.CORRUPT, noLogs.code(), noLogs.toString());
        }
    }

    /** As Ratis leaves the file where there was no space for it. */
    @Test
    void aServerWhoseVoteIsGoneDoesNotComeBack() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            Node only = cluster.found(1).get(0);
            cluster.commit("e", "1");
            only.close();
            Files.write(only.logs().resolve("raft-meta"), new byte[0]);
            TatamiException noVote = assertThrows(TatamiException.class, () -> only.open(List.of(only.member)));
            assertEquals(ErrorCode.CORRUPT, noVote.code(), noVote.toString());
            assertTrue(noVote.toString().contains("add it with an empty directory"), noVote.toString());
        }
    }

    /** It has told nobody of what it could not write. */
    @Test
    void aServerWhoseVoteAFullDiskLeftEmptyComesBackWithTheLastThatItTold() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            List<Node> nodes = cluster.found(3);
            cluster.commit("e", "1");
            cluster.awaitEqual();
            for (Node node : nodes) {
                node.close();
                Path vote = node.logs().resolve("raft-meta");
                Properties told = properties(vote);
                leaveEmpty(vote);
                node.open(List.of());
                Properties now = properties(vote);
                assertTrue(now.equals(told) || term(now) > term(told), () -> told + " became " + now);
                cluster.commit("e", "2");
            }
            cluster.awaitEqual();
        }
    }

    /** The terms of a server that asks nobody for votes are not kept when they begin. */
    @Test
    void aServerOnItsOwnWhoseKeptVoteIsOlderThanItsLogDoesNotComeBack() throws Exception {
        try (ReplicaCluster cluster = new ReplicaCluster(directory, ReplicaCluster.settings())) {
            Node only = cluster.found(1).get(0);
            cluster.commit("e", "1");
            only.close();
            only.open(List.of());
            cluster.commit("e", "2");
            only.close();
            assertTrue(Files.exists(only.logs().resolve("raft-meta.kept")));
            leaveEmpty(only.logs().resolve("raft-meta"));
            TatamiException noVote = assertThrows(TatamiException.class, () -> only.open(List.of()));
            assertEquals(ErrorCode.CORRUPT, noVote.code(), noVote.toString());
        }
    }

    /** As Ratis does where there is no space: a new file takes the name. */
    private static void leaveEmpty(Path vote) throws IOException {
        Path next = vote.resolveSibling("raft-meta.tmp");
        Path unused = Files.write(next, new byte[0]);
        unused = Files.move(next, vote, StandardCopyOption.ATOMIC_MOVE);
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

    private static void copyTo(Path copy, Path home) {
        try {
            DirectoryCopy.make(home, copy);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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

    private static long bytesBelow(Path home) throws IOException {
        AtomicLong bytes = new AtomicLong();
        LiveFiles.visit(home, (file, attributes) -> bytes.addAndGet(attributes.size()));
        return bytes.get();
    }
}
