package io.tatami.base;

import java.util.concurrent.TimeUnit;

/**
 * How long a thread may still block. Counted by the machine's own clock, as the waits of threads are: a fake clock ends
 * none of them. Safe for use by many threads.
 */
public final class WaitLimit {
    private final long endNanos;

    private WaitLimit(long endNanos) {
        this.endNanos = endNanos;
    }

    public static WaitLimit ofNanos(long nanos) {
        return new WaitLimit(Clock.SYSTEM.monotonicNanos() + nanos);
    }

    /** @param millis {@link Long#MAX_VALUE} for some three centuries */
    public static WaitLimit ofMillis(long millis) {
        return ofNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** What is left; 0 and below once the limit is over. */
    public long leftNanos() {
        return endNanos - Clock.SYSTEM.monotonicNanos();
    }

    /** {@link #leftNanos} in whole milliseconds, so that the last one may be missing. */
    public long leftMillis() {
        return TimeUnit.NANOSECONDS.toMillis(leftNanos());
    }
}
