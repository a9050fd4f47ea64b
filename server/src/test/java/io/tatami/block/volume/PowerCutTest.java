package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.SimFaults.Fault;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Faults at every access of random workloads. A cut is named by its seed and the number of the access: a failure says
 * both, and {@code -Dtatami.test.seed} starts there.
 */
class PowerCutTest {
    private static final long DATA_BYTES = 8 << 20;
    private static final int STEPS = 60;
    private static final long SEED = Long.getLong("tatami.test.seed", 1);

    @Test
    void nothingAcknowledgedIsLostByAPowerCutAtAnyAccess() throws TatamiException {
        long cuts = FaultSweep.atEveryAccess(SEED, SEED + 4, strike(Fault.POWER_CUT));

        assertTrue(cuts > 200, cuts + " cuts only");
    }

    @Test
    void nothingAcknowledgedIsLostByCutsUponCutsOfOpeningRecoveryAndWork() throws TatamiException {
        Map<String, Long> counts = new TreeMap<>();
        for (long seed = SEED; seed < SEED + 10; seed++) {
            CutChain.run(seed, 6, counts);
        }

        long compactions = counts.getOrDefault("cuts of compaction", 0L);
        assertEquals(60, compactions + counts.getOrDefault("cuts of other work", 0L), counts.toString());
        assertTrue(compactions > 2, counts.toString());
        assertTrue(counts.getOrDefault("cuts of opening", 0L) > 200, counts.toString());
        assertTrue(counts.getOrDefault("cuts of recovery", 0L) > 20, counts.toString());
    }

    /** Goes on where its log ends, see {@link SoakLog}. */
    @Test
    @Tag("soak")
    void nothingAcknowledgedIsLostBy100000PowerCuts() throws Exception {
        SoakLog.run("power-cuts.log", 100, 5_000, (seed, counts) -> CutChain.run(seed, 20, counts));
    }

    @Test
    void anErrorAtAnyAccessStopsTheVolumeOrHarmsNothing() throws TatamiException {
        long faults = FaultSweep.atEveryAccess(SEED + 100, SEED + 104, strike(Fault.IO_ERROR));

        assertTrue(faults > 200, faults + " errors only");
    }

    @Test
    @Tag("soak")
    void anErrorAtAnyOf20000AccessesStopsTheVolumeOrHarmsNothing() throws TatamiException {
        long errors = FaultSweep.untilStruck(SEED, 20_000, strike(Fault.IO_ERROR));

        System.out.println(errors + " errors, each stopped the volume or harmed nothing");
    }

    @Test
    void aDiskThatIsFullAtAnyWriteLosesNothingAndDeletesStillWork() throws TatamiException {
        long faults = FaultSweep.atEveryAccess(SEED + 200, SEED + 201, strike(Fault.NO_SPACE));

        assertTrue(faults > 50, faults + " refusals only");
    }

    @Test
    @Tag("simulated-bug")
    void theLedgerNoticesADiskThatDoesNotFlush() throws TatamiException {
        int noticed = 0;
        for (long seed = SEED; seed < SEED + 10; seed++) {
            SimVolume sim = new SimVolume(DATA_BYTES, seed);
            sim.disk().ignoreFlushes();
            Ledger ledger = new Ledger();
            WorkloadRun unused = WorkloadRun.of(sim, new Workload(seed, ledger, 0), STEPS);
            noticed += loses(sim, ledger) ? 1 : 0;
        }

        assertTrue(noticed > 5, "only " + noticed + " of 10 were noticed");
    }

    @Test
    void afterAFailedFlushNothingIsAcknowledgedAndNothingIsServed() throws TatamiException {
        SimVolume sim = new SimVolume(DATA_BYTES, SEED);
        BlockWriter writer = sim.volume().create(new BlockId(1), Generation.FIRST, 1 << 20, false);
        writer.append(ByteBuffer.allocate(100_000), null);
        sim.faults().arm(1, Fault.IO_ERROR);

        TatamiException first = assertThrows(TatamiException.class, writer::sync);
        TatamiException second = assertThrows(TatamiException.class, writer::sync);
        TatamiException third = assertThrows(
                TatamiException.class, () -> sim.volume().create(new BlockId(2), Generation.FIRST, 1, false));

        for (TatamiException e : List.of(first, second, third)) {
            assertEquals(ErrorCode.IO_ERROR, e.code());
            assertTrue(e.toString().contains("cannot flush"), e.toString());
        }
        assertTrue(sim.crash().find(new BlockId(1)).isEmpty());
    }

    private static FaultSweep.Strike strike(Fault fault) {
        return (seed, access) -> faultAt(seed, access, fault);
    }

    /** False where the workload had ended before the access. */
    private static boolean faultAt(long seed, long access, Fault fault) throws TatamiException {
        String when = fault + " at access " + access + " of seed " + seed;
        try (SimVolume sim = new SimVolume(DATA_BYTES, seed)) {
            Ledger ledger = new Ledger();
            sim.faults().arm(access, fault);
            WorkloadRun run = WorkloadRun.of(sim, new Workload(seed, ledger, 0), STEPS);
            if (!sim.faults().hasStruck()) {
                return false;
            }
            checkFailure(sim, fault, run, when);
            ledger.compare(sim.crash(), when);
            goOnAndCutAgain(sim, ledger, seed, access, when);
            sim.requireEmptyOnceAllIsDeleted(when);
            return true;
        }
    }

    private static void checkFailure(SimVolume sim, Fault fault, WorkloadRun run, String when) {
        String reason = sim.volume().statistics().failure();
        TatamiException failure = run.failure();
        switch (fault) {
            case POWER_CUT -> run.requireNoticed(when);
            case IO_ERROR -> {
                // A read of the device that failed once is made again, and is nobody's concern.
                if (sim.disk().failedReads() != 1) {
                    run.requireNoticed(when);
                }
                boolean readOnly = failure == null || failure.toString().contains("]: simulated: cannot read");
                assertEquals(readOnly, reason.isEmpty(), when + ": " + failure + ", stopped: " + reason);
            }
            case NO_SPACE -> assertEquals("", reason, when + " stopped the volume");
        }
    }

    /** What was recovered is no worse than what was never cut: it is worked on, and its recovery is cut too. */
    private static void goOnAndCutAgain(SimVolume sim, Ledger ledger, long seed, long access, String when)
            throws TatamiException {
        ledger.settle(sim.volume());
        Workload workload = new Workload(seed + access, ledger, 1_000);
        workload.adopt(sim.volume());
        sim.faults().arm(access % 40, Fault.POWER_CUT);
        WorkloadRun unused = WorkloadRun.of(sim, workload, STEPS);
        ledger.compare(sim.crash(), when + ", then a cut after " + access % 40);
    }

    private static boolean loses(SimVolume sim, Ledger ledger) throws TatamiException {
        try {
            ledger.compare(sim.crash(), "a disk that lies");
            return false;
        } catch (AssertionError e) {
            return true;
        } catch (TatamiException e) {
            return e.code() == ErrorCode.CORRUPT;
        }
    }
}
