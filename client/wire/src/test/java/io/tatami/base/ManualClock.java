package io.tatami.base;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that stands still until a test moves it. */
public final class ManualClock implements Clock {
    private final AtomicLong nanos = new AtomicLong();

    public void advance(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    @Override
    public long wallMillis() {
        return nanos.get() / 1_000_000;
    }

    @Override
    public long monotonicNanos() {
        return nanos.get();
    }
}
