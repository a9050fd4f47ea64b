package io.tatami.meta.service.host;

import io.tatami.base.Clock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** The machine's clock, for which a test lets time pass, and whose wall clock it sets. */
public final class SteppingClock implements Clock {
    private final AtomicLong passedNanos = new AtomicLong();
    private final AtomicLong steppedMillis = new AtomicLong();
    private final boolean goesOn;

    /** A clock that stands still between. */
    public SteppingClock() {
        this(false);
    }

    /** @param goesOn as the machine's does */
    public SteppingClock(boolean goesOn) {
        this.goesOn = goesOn;
        this.steppedMillis.set(goesOn ? Clock.SYSTEM.wallMillis() - nowNanos() / 1_000_000 : 1_700_000_000_000L);
    }

    private long nowNanos() {
        return goesOn ? Clock.SYSTEM.monotonicNanos() : 0;
    }

    public void pass(Duration time) {
        passedNanos.addAndGet(time.toNanos());
    }

    /** Sets the wall clock ahead, or back. */
    public void step(Duration time) {
        steppedMillis.addAndGet(time.toMillis());
    }

    @Override
    public long wallMillis() {
        return steppedMillis.get() + monotonicNanos() / 1_000_000;
    }

    @Override
    public long monotonicNanos() {
        return nowNanos() + passedNanos.get();
    }
}
