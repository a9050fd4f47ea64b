package io.tatami.block.volume;

import io.tatami.base.TatamiException;

/** The same work once for each of its accesses, with a fault at that one, for one seed after the other. */
public final class FaultSweep {
    private FaultSweep() {}

    /** The work of a seed with a fault at one access; what was recovered from it is looked at. */
    @FunctionalInterface
    public interface Strike {
        /** False where the work had ended before the access. */
        boolean at(long seed, long access) throws TatamiException;
    }

    /** Returns how many faults struck. */
    public static long atEveryAccess(long firstSeed, long endSeed, Strike strike) throws TatamiException {
        long struck = 0;
        for (long seed = firstSeed; seed < endSeed; seed++) {
            for (long access = 0; strike.at(seed, access); access++) {
                struck++;
            }
        }
        return struck;
    }

    /** Goes on with seeds until so many faults have struck; returns how many did. */
    public static long untilStruck(long firstSeed, long faults, Strike strike) throws TatamiException {
        long struck = 0;
        for (long seed = firstSeed; struck < faults; seed++) {
            struck += atEveryAccess(seed, seed + 1, strike);
        }
        return struck;
    }
}
