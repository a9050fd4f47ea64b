package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Stops the volume at each named point of random workloads, first to last time it is passed, and looks at what is left.
 */
class VolumeCrashPointTest {
    private static final long DATA_BYTES = 8 << 20;
    private static final int STEPS = 60;
    private static final long SEED = Long.getLong("tatami.test.seed", 1);

    @AfterEach
    void listenNoMore() {
        CrashPoint.listen(null);
    }

    @Test
    void nothingAcknowledgedIsLostByACrashAtAnyNamedPoint() throws TatamiException {
        NavigableSet<String> all = new TreeSet<>();
        for (long seed = SEED; seed < SEED + 4; seed++) {
            NavigableSet<String> points = pointsOf(seed);
            all.addAll(points);
            for (String point : points) {
                for (int nth = 1; crashAt(seed, point, nth); nth += nth) {
                    assertTrue(nth > 0, "unreachable");
                }
            }
        }
        assertTrue(all.size() >= 15, "only " + all);
    }

    private static NavigableSet<String> pointsOf(long seed) throws TatamiException {
        NavigableSet<String> points = new TreeSet<>();
        try (SimVolume sim = new SimVolume(DATA_BYTES, seed)) {
            CrashPoint.listen(points::add);
            run(sim, new Workload(seed, new Ledger(), 0));
        } finally {
            CrashPoint.listen(null);
        }
        assertTrue(CrashPoint.passed().containsAll(points), "the register lacks some of " + points);
        return points;
    }

    /** False where the workload does not pass the point so often. */
    private static boolean crashAt(long seed, String point, int nth) throws TatamiException {
        try (SimVolume sim = new SimVolume(DATA_BYTES, seed)) {
            Ledger ledger = new Ledger();
            int[] left = {nth};
            CrashPoint.listen(name -> {
                if (name.equals(point) && --left[0] == 0) {
                    throw new Halt();
                }
            });
            boolean halted = run(sim, new Workload(seed, ledger, 0));
            CrashPoint.listen(null);
            if (halted) {
                ledger.compare(sim.crash(), point + " for the " + nth + "th time with seed " + seed);
            }
            return halted;
        }
    }

    private static boolean run(SimVolume sim, Workload workload) throws TatamiException {
        try {
            for (int step = 0; step < STEPS; step++) {
                workload.step(sim.volume());
            }
            return false;
        } catch (Halt halt) {
            assertFalse(sim.faults().hasStruck());
            return true;
        }
    }
}
