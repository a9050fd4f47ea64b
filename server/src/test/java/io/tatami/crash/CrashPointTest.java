package io.tatami.crash;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.seed.TestSeed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Halts a whole node, in a process of its own, at its named crash points, and compares what the next one shows with
 * ledgers of all that was acknowledged. {@code -Dtatami.test.seed} replays a run, {@code -Dtatami.crash.only=NAME,NAME}
 * does only these points.
 */
final class CrashPointTest {
    private static final int POINTS_MIN = 200;
    private static final int SAMPLE_WORKING = 4;
    private static final int SAMPLE_STARTING = 2;
    private static final int SAMPLE_FOUNDING = 1;

    @TempDir
    private Path directory = Path.of("");

    @Test
    void nothingAcknowledgedIsLostAtPointsChosenByTheSeed() throws Exception {
        long seed = TestSeed.draw();
        PointPlan plan = PointPlan.learn(directory.resolve("learning"), seed);
        assertTrue(plan.size() >= POINTS_MIN, "the workload passes only " + plan.size() + " points");
        Random random = new Random(seed);
        List<String> chosen = new ArrayList<>();
        chosen.addAll(some(plan.working().keySet(), SAMPLE_WORKING, random));
        chosen.addAll(some(plan.starting(), SAMPLE_STARTING, random));
        chosen.addAll(some(plan.founding(), SAMPLE_FOUNDING, random));
        CrashRun run = new CrashRun(directory, plan, seed, System.out::println);
        for (String point : chosen) {
            run.crashAt(point);
        }
        run.end();
        assertTrue(run.hit().size() > chosen.size() / 2, "not passed again: " + run.missed());
    }

    /** Goes on where the log of an earlier run with the same seed ends. */
    @Test
    @Tag("soak")
    void nothingAcknowledgedIsLostAtAnyPoint() throws Exception {
        long begunNanos = System.nanoTime();
        long seed = Long.getLong("tatami.test.seed", 1);
        Path log = Path.of(System.getProperty("tatami.crash.log", "soak/crash-points.log"));
        Set<String> done = done(log, seed);
        PointPlan plan = PointPlan.learn(directory.resolve("learning"), seed);
        CrashRun run = new CrashRun(directory, plan, seed, line -> append(log, line));
        append(log, "seed " + seed + ": at commit " + commit() + " the workload passes " + plan.size() + " points");
        TreeSet<String> all = new TreeSet<>(plan.working().keySet());
        all.addAll(plan.starting());
        all.addAll(plan.founding());
        all.removeAll(done);
        String only = System.getProperty("tatami.crash.only", "");
        if (!only.isEmpty()) {
            all.retainAll(List.of(only.split(",", -1)));
        }
        for (String point : all) {
            run.crashAt(point);
        }
        run.end();
        done.addAll(run.hit());
        append(
                log,
                "seed " + seed + ": " + done.size() + " distinct points hit, 0 lost, 0 short, 0 corrupt, fsck clean; "
                        + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begunNanos) + " s");
        append(log, "not hit: " + PointsInSource.notIn(done));
        assertTrue(!only.isEmpty() || done.size() >= POINTS_MIN, "only " + done.size() + " points were hit");
    }

    private static List<String> some(Set<String> points, int count, Random random) {
        List<String> all = new ArrayList<>(points);
        Collections.shuffle(all, random);
        return all.subList(0, Math.min(count, all.size()));
    }

    private static Set<String> done(Path log, long seed) throws IOException {
        Set<String> done = new HashSet<>();
        if (!Files.exists(log)) {
            return done;
        }
        boolean sameSeed = false;
        for (String line : Files.readAllLines(log)) {
            if (line.startsWith("seed ")) {
                sameSeed = line.startsWith("seed " + seed + ":");
            } else if (sameSeed && line.startsWith("hit ")) {
                done.add(line.split(" +", -1)[1]);
            }
        }
        return done;
    }

    private static String commit() throws IOException {
        Process git = new ProcessBuilder("git", "rev-parse", "--short", "HEAD").start();
        return new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
    }

    private static void append(Path log, String line) {
        try {
            Files.createDirectories(log.toAbsolutePath().getParent());
            Files.writeString(log, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
