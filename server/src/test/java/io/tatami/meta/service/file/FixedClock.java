package io.tatami.meta.service.file;

import io.tatami.base.Clock;

/** Stands still. */
record FixedClock(long wallMillis) implements Clock {
    @Override
    public long monotonicNanos() {
        return 1;
    }
}
