package io.tatami.benchmarks.workload.simulate;

import io.tatami.benchmarks.harness.report.Skew;
import java.util.List;

/**
 * What came of a scenario; times are virtual.
 *
 * @param isSettled every block had its copies and nothing was left to be done before the time was up
 * @param toMakeBytes of the copies that were lacking at the beginning, where a good one was left; of moves 0
 * @param lostBlocks blocks without any copy
 * @param lastCopyBlocks blocks with one good copy at the beginning
 * @param lastCopySeconds until none was left with one good copy; below 0 where some were
 * @param healedSeconds until all copies were made, or all moves done; below 0 where they were not
 * @param movedBytes of copies that were made
 * @param usedBefore how full servers are, as those that served at the beginning
 * @param usedAfter the same at the end
 * @param sent of the copies' bytes, over the servers that serve
 * @param received of the copies' bytes, over the servers that serve, or have joined
 * @param inFlightPart of the copies that shards may ask for at once, the part that they had while any was made
 * @param copyRatePart of what servers may send and receive for copies, the part that they did meanwhile
 * @param diskPart the same of what disks can read and write
 * @param linkPart the same of what links can send
 * @param curve copies that were still to be made, over time
 */
record SimulationResult(
        boolean isSettled,
        long toMakeBytes,
        long lostBlocks,
        long lastCopyBlocks,
        double lastCopySeconds,
        double healedSeconds,
        long movedBytes,
        Skew usedBefore,
        Skew usedAfter,
        Skew sent,
        Skew received,
        double inFlightPart,
        double copyRatePart,
        double diskPart,
        double linkPart,
        List<Sample> curve) {
    /** @param blocks copies that are still to be made or moved */
    record Sample(double seconds, long blocks) {}
}
