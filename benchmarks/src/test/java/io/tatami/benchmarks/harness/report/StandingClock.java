package io.tatami.benchmarks.harness.report;

import io.tatami.base.Clock;
import java.util.concurrent.TimeUnit;

/** A clock that a test moves. */
final class StandingClock implements Clock {
    private long nanos;

    void passSeconds(long seconds) {
        nanos += TimeUnit.SECONDS.toNanos(seconds);
    }

    @Override
    public long wallMillis() {
        return TimeUnit.NANOSECONDS.toMillis(nanos);
    }

    @Override
    public long monotonicNanos() {
        return nanos;
    }
}
