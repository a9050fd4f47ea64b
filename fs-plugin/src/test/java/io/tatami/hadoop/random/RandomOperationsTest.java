package io.tatami.hadoop.random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.hadoop.TatamiCluster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Whatever several users do, HDFS, Tatami and a model of both come to the same. Rounds of operations, each with a seed
 * and a directory of its own, run a few at once; within a round everything follows from its seed. Every build runs the
 * same rounds, so that a red one is red because of a change; the soak draws new ones. With {@code -Dtatami.test.seed}
 * there is one round.
 */
class RandomOperationsTest {
    private static final long FIRST_SEED = 1;

    private static final @Nullable Long SEED = Long.getLong("tatami.test.seed");
    private static final int OPERATIONS = Integer.getInteger("tatami.test.operations", 60_000);
    private static final int SOAK_OPERATIONS = Integer.getInteger("tatami.test.operations", 1_000_000);
    private static final int OPERATIONS_A_ROUND = 2_000;
    private static final int COMPARE_EVERY = Integer.getInteger("tatami.test.compare", 250);
    private static final double SUCCESS_SHARE_MIN = 0.4;

    @TempDir
    private static Path directory = Path.of("");

    private static @Nullable Clusters clusters;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        clusters =
                Clusters.start(directory.toFile(), () -> TatamiCluster.shared().configuration());
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
    @CsvSource({"570777902, 627", "570777965, 1864", "1009054816, 395"})
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
            new Rounds(Objects.requireNonNull(clusters), coverage, COMPARE_EVERY)
                    .run(first, operations, OPERATIONS_A_ROUND);
        } finally {
            System.out.println(coverage);
        }
        assertTrue(coverage.successShare() >= SUCCESS_SHARE_MIN, () -> "too few succeed: " + coverage);
        assertEquals(List.of(), coverage.missing(RequiredCells.ALL), "cells at zero");
    }
}
