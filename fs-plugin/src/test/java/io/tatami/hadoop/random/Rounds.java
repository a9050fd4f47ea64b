package io.tatami.hadoop.random;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Rounds of operations, a few at once. Used by one thread. */
final class Rounds {
    private static final int AT_ONCE = 4;
    private static final int FAILURES_MAX = Integer.getInteger("tatami.test.failures", 4);

    private final Clusters clusters;
    private final Coverage coverage;
    private final int compareEvery;
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    /** @param compareEvery operations of a round, all that is there is compared */
    Rounds(Clusters clusters, Coverage coverage, int compareEvery) {
        this.clusters = clusters;
        this.coverage = coverage;
        this.compareEvery = compareEvery;
    }

    /**
     * Runs them to their end; those that come after a few have failed are left out.
     *
     * @param first the first one's seed
     */
    void run(long first, int operations, int operationsARound) throws InterruptedException {
        ExecutorService rounds = Executors.newFixedThreadPool(AT_ONCE);
        for (int done = 0; done < operations; done += operationsARound) {
            long seed = first + done / operationsARound;
            int count = Math.min(operationsARound, operations - done);
            rounds.execute(() -> {
                if (failures.size() < FAILURES_MAX) {
                    runRound(seed, count);
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

    private void runRound(long seed, int count) {
        try {
            new Round(clusters, coverage, seed, compareEvery).run(count);
        } catch (IOException | RuntimeException | Error e) {
            failures.add(e);
            e.printStackTrace(System.out);
        }
    }
}
