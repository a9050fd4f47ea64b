package io.tatami.block.service.moves;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.TatamiException;
import io.tatami.block.device.SimFaults.Fault;
import io.tatami.block.volume.FaultSweep;
import io.tatami.block.volume.Halt;
import io.tatami.block.volume.SimVolume;
import io.tatami.files.CrashPoint;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Power cuts, errors and crashes in the middle of drains of a volume and of the balance between two: a block has never
 * fewer durable copies than before, and all that are there are whole. A failure names the seed and the access.
 */
final class MovePowerCutTest {
    private static final long SEED = Long.getLong("tatami.test.seed", 1);
    private static final long CUTS = 500;

    /** Which volume a fault strikes; the power of both goes. */
    private enum Side {
        FIRST,
        SECOND;

        SimVolume of(MoveRig rig) {
            return this == FIRST ? rig.first : rig.second;
        }
    }

    @AfterEach
    void listenNoMore() {
        CrashPoint.listen(null);
    }

    @Test
    void noCopyIsLostByAPowerCutAtAnyAccessOfADrain() throws TatamiException {
        long cuts = sweep(true, CUTS, Fault.POWER_CUT);

        assertTrue(cuts >= CUTS, cuts + " cuts only");
    }

    @Test
    void noCopyIsLostByAPowerCutAtAnyAccessOfABalance() throws TatamiException {
        long cuts = sweep(false, CUTS, Fault.POWER_CUT);

        assertTrue(cuts >= CUTS, cuts + " cuts only");
    }

    @Test
    void anErrorAtAnyAccessOfADrainStopsAVolumeOrHarmsNothing() throws TatamiException {
        long errors = FaultSweep.atEveryAccess(SEED, SEED + 2, strike(true, Side.FIRST, Fault.IO_ERROR))
                + FaultSweep.atEveryAccess(SEED, SEED + 2, strike(true, Side.SECOND, Fault.IO_ERROR));

        assertTrue(errors > 60, errors + " errors only");
    }

    @Test
    @Tag("soak")
    void noCopyIsLostBy10000PowerCuts() throws TatamiException {
        long cuts = sweep(true, 5_000, Fault.POWER_CUT) + sweep(false, 5_000, Fault.POWER_CUT);

        System.out.println(cuts + " power cuts in the middle of moves between volumes, nothing lost");
    }

    private static long sweep(boolean drain, long cuts, Fault fault) throws TatamiException {
        return FaultSweep.untilStruck(SEED, cuts / 2, strike(drain, Side.FIRST, fault))
                + FaultSweep.untilStruck(SEED + 1_000, cuts / 2, strike(drain, Side.SECOND, fault));
    }

    private static FaultSweep.Strike strike(boolean drain, Side side, Fault fault) {
        return (seed, access) -> {
            String when = fault + " of the " + side + " at access " + access + " with seed " + seed;
            try (MoveRig rig = rig(seed, drain)) {
                SimVolume struck = side.of(rig);
                struck.faults().arm(access, fault);
                rig.moves().moveAll();
                if (!struck.faults().hasStruck()) {
                    return false;
                }
                goOn(rig, drain, when);
                return true;
            }
        };
    }

    private static MoveRig rig(long seed, boolean drain) throws TatamiException {
        MoveRig rig = new MoveRig(seed, drain ? 0 : 10).fill(0.25);
        if (drain) {
            rig.drain();
        }
        return rig;
    }

    /** After a crash all is there, and the moves are done to their end, cut short once more between. */
    private static void goOn(MoveRig rig, boolean drain, String when) throws TatamiException {
        rig.crash();
        rig.compare(when);
        rig.second.faults().arm(11, Fault.POWER_CUT);
        rig.moves().moveAll();
        rig.crash();
        rig.compare(when + ", then a cut");
        rig.moves().moveAll();
        rig.compare(when + ", then all is moved");
        rig.requireOneCopyOfEach(when);
        if (drain) {
            assertEquals(0, rig.first.volume().statistics().blocks(), when);
        }
        rig.crash();
        rig.compare(when + ", at last");
        rig.requireOneCopyOfEach(when);
    }

    @Test
    void aCrashAtAnyNamedPointOfADrainLosesNothing() throws TatamiException {
        NavigableSet<String> points = new TreeSet<>();
        try (MoveRig rig = rig(SEED, true)) {
            CrashPoint.listen(points::add);
            rig.moves().moveAll();
            CrashPoint.listen(null);
            rig.compare("without a crash");
            assertEquals(0, rig.first.volume().statistics().blocks());
        }
        points.removeIf(point -> !point.startsWith("volume.transfer."));
        assertEquals(8, points.size(), points.toString());
        for (String point : points) {
            for (int nth = 1; crashAt(point, nth); nth += nth) {
                assertTrue(nth > 0, "unreachable");
            }
        }
    }

    /** False where the drain does not pass the point so often. */
    private static boolean crashAt(String point, int nth) throws TatamiException {
        try (MoveRig rig = rig(SEED, true)) {
            int[] left = {nth};
            CrashPoint.listen(name -> {
                if (name.equals(point) && --left[0] == 0) {
                    throw new Halt();
                }
            });
            boolean halted = false;
            try {
                rig.moves().moveAll();
            } catch (Halt halt) {
                halted = true;
            }
            CrashPoint.listen(null);
            goOn(rig, true, point + " for the " + nth + "th time");
            return halted;
        }
    }
}
