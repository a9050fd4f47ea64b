package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.TatamiException;
import org.jspecify.annotations.Nullable;

/**
 * How a workload under a fault ended.
 *
 * @param failure null where it came to its end
 * @param struckInCompaction whether it was a compaction that met the fault
 */
record WorkloadRun(@Nullable TatamiException failure, boolean struckInCompaction) {
    static WorkloadRun of(SimVolume sim, Workload workload, int steps) {
        boolean struckInCompaction = false;
        try {
            for (int step = 0; step < steps; step++) {
                boolean struckBefore = sim.faults().hasStruck();
                try {
                    workload.step(sim.volume());
                } finally {
                    struckInCompaction |= !struckBefore && sim.faults().hasStruck() && workload.isCompacting();
                }
            }
            return new WorkloadRun(null, struckInCompaction);
        } catch (TatamiException e) {
            return new WorkloadRun(e, struckInCompaction);
        }
    }

    /** A compaction leaves a block that it cannot read where it is, and nobody has to be told; others are told. */
    void requireNoticed(String when) {
        assertTrue(failure != null || struckInCompaction, when + " went by unnoticed");
    }
}
