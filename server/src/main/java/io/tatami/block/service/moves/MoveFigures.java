package io.tatami.block.service.moves;

import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.protocol.wire.WaitingBlock;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** How far the moves from and to one volume are. Safe for use by many threads. */
final class MoveFigures {
    private long awayBytes;
    private long hereBytes;
    private boolean draining;
    private long drainedBytes;
    private long drainNanos;
    private String waitsFor = "";
    private List<WaitingBlock> waiting = List.of();

    synchronized void moved(long bytes) {
        awayBytes += bytes;
        drainedBytes += bytes;
    }

    synchronized void took(long bytes) {
        hereBytes += bytes;
    }

    /** The time that a drain has taken is counted from its first call to the next {@link #ended}. */
    synchronized void drains(long nowNanos) {
        if (!draining) {
            draining = true;
            drainedBytes = 0;
            drainNanos = nowNanos;
        }
    }

    /** @param reason what the drain waits for; empty for nothing */
    synchronized void waits(String reason, List<WaitingBlock> blocks) {
        waitsFor = reason;
        waiting = List.copyOf(blocks);
    }

    synchronized void ended() {
        draining = false;
        waits("", List.of());
    }

    synchronized void addTo(VolumeStatus.Builder status, long nowNanos) {
        status.setMovedAwayBytes(awayBytes).setMovedHereBytes(hereBytes);
        if (draining) {
            double perByte = (double) TimeUnit.NANOSECONDS.toMillis(nowNanos - drainNanos) / Math.max(1, drainedBytes);
            status.setDrainedInMillis(drainedBytes == 0 ? 0 : (long) Math.ceil(perByte * status.getUsedBytes()))
                    .setDrainWaitsFor(waitsFor)
                    .addAllWaitingBlock(waiting);
        }
    }
}
