package io.tatami.block.volume.maintain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.SimFaults.Fault;
import io.tatami.block.volume.FaultSweep;
import io.tatami.block.volume.Halt;
import io.tatami.block.volume.ShortBlocks;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.files.CrashPoint;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Power cuts, errors and crashes in the middle of compactions of random volumes. A failure names the seed and the
 * access; {@code -Dtatami.test.seed} starts there.
 */
class CompactionPowerCutTest {
    private static final long SEED = Long.getLong("tatami.test.seed", 1);
    private static final long DATA_BYTES = 4 << 20;
    private static final long REGION_BYTES = 128 << 10;
    private static final int LENGTH_MAX = 25_000;

    @AfterEach
    void listenNoMore() {
        CrashPoint.listen(null);
    }

    @Test
    void noByteIsLostAndNoRoomLeaksByAPowerCutAtAnyAccessOfACompaction() throws TatamiException {
        long cuts = FaultSweep.atEveryAccess(SEED, SEED + 1, strike(Fault.POWER_CUT));

        assertTrue(cuts > 30, cuts + " cuts only");
    }

    @Test
    @Tag("soak")
    void noByteIsLostAndNoRoomLeaksBy10000PowerCuts() throws TatamiException {
        long cuts = FaultSweep.untilStruck(SEED, 10_000, strike(Fault.POWER_CUT));

        System.out.println(cuts + " power cuts in the middle of compactions, nothing lost");
    }

    @Test
    void anErrorAtAnyAccessOfACompactionStopsTheVolumeOrHarmsNothing() throws TatamiException {
        long errors = FaultSweep.atEveryAccess(SEED + 100, SEED + 101, strike(Fault.IO_ERROR));

        assertTrue(errors > 30, errors + " errors only");
    }

    @Test
    void aDiskThatIsFullAtAnyWriteOfACompactionLosesNothing() throws TatamiException {
        long refusals = FaultSweep.atEveryAccess(SEED + 200, SEED + 201, strike(Fault.NO_SPACE));

        assertTrue(refusals > 30, refusals + " refusals only");
    }

    @Test
    void aCrashAtAnyNamedPointOfACompactionLosesNothing() throws TatamiException {
        NavigableSet<String> points = new TreeSet<>();
        try (SimVolume sim = new SimVolume(DATA_BYTES, SEED)) {
            ShortBlocks blocks = thinned(sim, SEED);
            CrashPoint.listen(points::add);
            compact(sim.volume());
            CrashPoint.listen(null);
            blocks.ledger().compare(sim.volume(), "without a crash");
        }
        points.removeIf(point -> !point.startsWith("volume.compact."));
        assertEquals(5, points.size(), points.toString());
        for (String point : points) {
            for (int nth = 1; crashAt(point, nth); nth += nth) {
                assertTrue(nth > 0, "unreachable");
            }
        }
    }

    /** False where the compaction does not pass the point so often. */
    private static boolean crashAt(String point, int nth) throws TatamiException {
        String when = point + " for the " + nth + "th time with seed " + SEED;
        try (SimVolume sim = new SimVolume(DATA_BYTES, SEED)) {
            ShortBlocks blocks = thinned(sim, SEED);
            int[] left = {nth};
            CrashPoint.listen(name -> {
                if (name.equals(point) && --left[0] == 0) {
                    throw new Halt();
                }
            });
            boolean halted = false;
            try {
                compact(sim.volume());
            } catch (Halt halt) {
                halted = true;
            }
            CrashPoint.listen(null);
            goOn(sim, blocks, when);
            return halted;
        }
    }

    private static FaultSweep.Strike strike(Fault fault) {
        return (seed, access) -> faultAt(seed, access, fault);
    }

    /** False where the compaction had ended before the access. */
    private static boolean faultAt(long seed, long access, Fault fault) throws TatamiException {
        String when = fault + " at access " + access + " of the compaction with seed " + seed;
        try (SimVolume sim = new SimVolume(DATA_BYTES, seed)) {
            ShortBlocks blocks = thinned(sim, seed);
            sim.faults().arm(access, fault);
            try {
                compact(sim.volume());
            } catch (TatamiException e) {
                assertTrue(sim.faults().hasStruck(), when + ": " + e);
            }
            if (!sim.faults().hasStruck()) {
                return false;
            }
            if (sim.volume().statistics().failure().isEmpty()) {
                ShortBlocks.assertNoRoomIsLost(sim.volume(), when);
            }
            goOn(sim, blocks, when);
            return true;
        }
    }

    /**
     * After the power went: every byte is there, and the compaction is done to its end, once more cut short between.
     */
    private static void goOn(SimVolume sim, ShortBlocks blocks, String when) throws TatamiException {
        blocks.ledger().compare(sim.crash(), when);
        ShortBlocks.assertNoRoomIsLost(sim.volume(), when);
        sim.faults().arm(17, Fault.POWER_CUT);
        try {
            compact(sim.volume());
        } catch (TatamiException e) {
            assertTrue(sim.faults().hasStruck(), when + ", then " + e);
        }
        blocks.ledger().compare(sim.crash(), when + ", then a cut");
        compact(sim.volume());
        blocks.ledger().compare(sim.volume(), when + ", then a whole pass");
        for (StoredBlock stored : sim.volume().blocks()) {
            sim.volume().delete(stored.block(), Generation.MAX);
        }
        assertEquals(DATA_BYTES, sim.volume().statistics().largestFreeExtentBytes(), when);
    }

    private static ShortBlocks thinned(SimVolume sim, long seed) throws TatamiException {
        ShortBlocks blocks = new ShortBlocks(seed);
        blocks.writeAndThin(sim.volume(), 0.3, LENGTH_MAX, 0.5);
        return blocks;
    }

    private static void compact(Volume volume) throws TatamiException {
        try (Compactor compactor = new Compactor(volume, Clock.SYSTEM, Long.MAX_VALUE, REGION_BYTES)) {
            compactor.compact();
        }
    }
}
