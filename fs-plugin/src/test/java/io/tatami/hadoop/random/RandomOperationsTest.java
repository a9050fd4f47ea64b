package io.tatami.hadoop.random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Whatever several users do, HDFS, Tatami and a model of both come to the same. Rounds of operations, each with a seed and
 * a directory of its own, run a few at once; within a round everything follows from its seed. Every build runs the same
 * rounds, so that a red one is red because of a change; the soak draws new ones. With
 * {@code -Dtatami.test.seed} there is one round.
 */
class RandomOperationsTest {
    private static final long FIRST_SEED = 1;

    private static final @Nullable Long SEED = Long.getLong("tatami.test.seed");
    private static final int OPERATIONS = Integer.getInteger("tatami.test.operations", 100_000);
    private static final int SOAK_OPERATIONS = Integer.getInteger("tatami.test.operations", 1_000_000);
    private static final int OPERATIONS_A_ROUND = 2_000;
    private static final int COMPARE_EVERY = Integer.getInteger("tatami.test.compare", 250);
    private static final int ROUNDS_AT_ONCE = 4;
    private static final int FAILURES_MAX = Integer.getInteger("tatami.test.failures", 4);
    private static final double SUCCESS_SHARE_MIN = 0.4;

    @TempDir
    private static Path directory = Path.of("");

    private static @Nullable Clusters clusters;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        clusters = Clusters.start(directory.toFile());
    }

    @AfterAll
    static void stop() {
        Objects.requireNonNull(clusters).close();
    }

    @Test
    void randomOperationsComeToTheSame() throws Exception {
        run(OPERATIONS, FIRST_SEED);
    }

    /** Rounds of soaks, up to the operation that was different. */
    @ParameterizedTest
    @CsvSource({"570777902, 627", "570777965, 1864"})
    void roundsThatWereDifferentOnceComeToTheSame(long seed, int operations) throws IOException {
        new Round(Objects.requireNonNull(clusters), new Coverage(), seed, COMPARE_EVERY).run(operations);
    }

    @Test
    @Tag("soak")
    void aMillionRandomOperationsComeToTheSame() throws Exception {
        run(SOAK_OPERATIONS, System.nanoTime() & Integer.MAX_VALUE);
    }

    private static void run(int operations, long first) throws Exception {
        Coverage coverage = new Coverage();
        Long given = SEED;
        if (given != null) {
            new Round(Objects.requireNonNull(clusters), coverage, given, COMPARE_EVERY).run(operations);
            System.out.println(coverage);
            return;
        }
        System.out.println("seeds from " + first);
        try {
            runRounds(first, operations, coverage);
        } finally {
            System.out.println(coverage);
        }
        assertTrue(coverage.successShare() >= SUCCESS_SHARE_MIN, () -> "too few succeed: " + coverage);
        assertEquals(List.of(), coverage.missing(RequiredCells.ALL), "cells at zero");
    }

    /** The rounds that come after a few have failed are left out. */
    private static void runRounds(long first, int operations, Coverage coverage) throws Exception {
        Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        ExecutorService rounds = Executors.newFixedThreadPool(ROUNDS_AT_ONCE);
        for (int done = 0; done < operations; done += OPERATIONS_A_ROUND) {
            long seed = first + done / OPERATIONS_A_ROUND;
            int count = Math.min(OPERATIONS_A_ROUND, operations - done);
            rounds.execute(() -> {
                if (failures.size() < FAILURES_MAX) {
                    runRound(seed, count, coverage, failures);
                }
            });
        }
        rounds.shutdown();
        while (!rounds.awaitTermination(1, TimeUnit.MINUTES)) {
            System.out.println(coverage.operations() + " operations");
        }
        assertEquals(
                List.of(),
                failures.stream().map(Throwable::toString).toList(),
                "rounds in which something was different");
    }

    private static void runRound(long seed, int count, Coverage coverage, Queue<Throwable> failures) {
        try {
            new Round(Objects.requireNonNull(clusters), coverage, seed, COMPARE_EVERY).run(count);
        } catch (IOException | RuntimeException | Error e) {
            failures.add(e);
            e.printStackTrace(System.out);
        }
    }
}
