package io.tatami.block.volume;

import io.tatami.base.TatamiException;
import io.tatami.block.device.SimFaults.Fault;
import java.util.Map;
import java.util.Random;

/**
 * Power cuts of one volume, one upon the other: at a random access of a workload, then at accesses of the opening after
 * it, then of the recovery of what was being written, then of further work. After each the volume is compared with what
 * it had acknowledged. The same seed does the same.
 */
final class CutChain {
    private static final long DATA_BYTES = 8 << 20;
    private static final int STEPS = 60;
    private static final int DEPTH = 3;

    /** Opening makes four to five accesses, so most of these cuts strike. */
    private static final int OPENING_ACCESSES = 6;

    private static final int RECOVERY_ACCESSES = 12;
    private static final int FURTHER_ACCESSES = 60;

    private final long seed;
    private final Random random;
    private final String name;
    private final Map<String, Long> counts;
    private final Ledger ledger = new Ledger();
    private final SimVolume sim;

    private CutChain(long seed, long access, Map<String, Long> counts) throws TatamiException {
        this.seed = seed;
        this.random = new Random(31 * seed + access);
        this.name = "seed " + seed + ", a cut at access " + access;
        this.counts = counts;
        this.sim = new SimVolume(DATA_BYTES, seed);
        sim.faults().arm(access, Fault.POWER_CUT);
    }

    /** Does {@code cuts} chains, each from the same workload and from a random access of it on. */
    static void run(long seed, int cuts, Map<String, Long> counts) throws TatamiException {
        long accesses = accesses(seed);
        Random random = new Random(seed);
        for (int cut = 0; cut < cuts; cut++) {
            CutChain chain = new CutChain(seed, random.nextLong(accesses), counts);
            try (chain.sim) {
                chain.run();
            }
        }
    }

    private static long accesses(long seed) throws TatamiException {
        try (SimVolume sim = new SimVolume(DATA_BYTES, seed)) {
            long before = sim.faults().accesses();
            TatamiException failure = WorkloadRun.of(sim, new Workload(seed, new Ledger(), 0), STEPS)
                    .failure();
            if (failure != null) {
                throw failure;
            }
            return sim.faults().accesses() - before;
        }
    }

    private void run() throws TatamiException {
        WorkloadRun run = WorkloadRun.of(sim, new Workload(seed, ledger, 0), STEPS);
        run.requireNoticed(name);
        count(run.struckInCompaction() ? "cuts of compaction" : "cuts of other work");
        open();
        ledger.compare(sim.volume(), name);
        for (int depth = 1; depth <= DEPTH; depth++) {
            cutRecovery(depth);
        }
        workOn();
        sim.requireEmptyOnceAllIsDeleted(name);
    }

    /** Opens the volume, which is cut up to three times before. */
    private void open() throws TatamiException {
        for (int depth = 1; depth <= DEPTH; depth++) {
            if (!sim.crashAndCutOpening(random.nextInt(OPENING_ACCESSES))) {
                count("cuts of opening");
            }
        }
        sim.crash();
    }

    private void cutRecovery(int depth) throws TatamiException {
        ledger.settle(sim.volume());
        Workload workload = new Workload(random.nextLong(), ledger, 1_000L * depth);
        workload.adopt(sim.volume());
        sim.faults().arm(random.nextInt(RECOVERY_ACCESSES), Fault.POWER_CUT);
        try {
            workload.recover(sim.volume());
        } catch (TatamiException e) {
            requireStruck(e);
            count("cuts of recovery");
        }
        open();
        ledger.compare(sim.volume(), name + ", then a cut in recovery " + depth);
    }

    private void workOn() throws TatamiException {
        ledger.settle(sim.volume());
        Workload workload = new Workload(random.nextLong(), ledger, 1_000_000);
        workload.adopt(sim.volume());
        sim.faults().arm(random.nextInt(FURTHER_ACCESSES), Fault.POWER_CUT);
        WorkloadRun run = WorkloadRun.of(sim, workload, STEPS);
        TatamiException failure = run.failure();
        if (failure != null) {
            requireStruck(failure);
            count(run.struckInCompaction() ? "cuts of compaction after recovery" : "cuts of other work after recovery");
        }
        open();
        ledger.compare(sim.volume(), name + ", then a cut of further work");
    }

    private void requireStruck(TatamiException failure) throws TatamiException {
        if (!sim.faults().hasStruck()) {
            throw failure;
        }
    }

    private void count(String what) {
        counts.merge(what, 1L, Long::sum);
    }
}
