package io.tatami.meta.log.raft.snapshot;

import io.tatami.base.Clock;
import java.util.concurrent.TimeUnit;

/**
 * How fast a server takes in snapshots of groups, all of them together: a replica that comes has its server's disk and
 * network write a whole group, which those that are at work there should not wait for. Safe for use by many threads.
 */
public final class SnapshotPace {
    private final long bytesPerSecond;
    private final Clock clock;
    private long freeNanos;

    /** @param bytesPerSecond at least 1 */
    public SnapshotPace(long bytesPerSecond, Clock clock) {
        this.bytesPerSecond = bytesPerSecond;
        this.clock = clock;
        this.freeNanos = clock.monotonicNanos();
    }

    /** How long whoever has taken in so many bytes is to wait before any more, in nanoseconds; 0 for not at all. */
    public synchronized long nanosAfter(long bytes) {
        long now = clock.monotonicNanos();
        // What was not used before is lost: else a long pause would be followed by a flood.
        long begin = Math.max(freeNanos - now, 0);
        long takes = (long) ((double) bytes / bytesPerSecond * TimeUnit.SECONDS.toNanos(1));
        freeNanos = now + begin + takes;
        return begin + takes;
    }
}
