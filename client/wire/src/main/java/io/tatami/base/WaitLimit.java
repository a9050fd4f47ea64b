package io.tatami.base;

import java.util.concurrent.TimeUnit;

/**
 * How long a thread may still block. Counted by the machine's own clock, as the waits of threads are, unless another
 * one is given: then {@link Clock} waits, too. Safe for use by many threads.
 */
public final class WaitLimit {
    private final Clock clock;
    private final long endNanos;

    private WaitLimit(Clock clock, long endNanos) {
        this.clock = clock;
        this.endNanos = endNanos;
    }

    public static WaitLimit ofNanos(long nanos) {
        return ofNanos(Clock.SYSTEM, nanos);
    }

    /** @param clock by which the thread waits */
    public static WaitLimit ofNanos(Clock clock, long nanos) {
        return new WaitLimit(clock, clock.monotonicNanos() + nanos);
    }

    /** @param millis {@link Long#MAX_VALUE} for some three centuries */
    public static WaitLimit ofMillis(long millis) {
        return ofNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    /** What is left; 0 and below once the limit is over. */
    public long leftNanos() {
        return endNanos - clock.monotonicNanos();
    }

    /** {@link #leftNanos} in whole milliseconds, so that the last one may be missing. */
    public long leftMillis() {
        return TimeUnit.NANOSECONDS.toMillis(leftNanos());
    }
}
