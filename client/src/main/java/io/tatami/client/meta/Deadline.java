package io.tatami.client.meta;

import io.tatami.base.Clock;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** When an operation is given up. Safe for use by many threads. */
public final class Deadline {
    private final Clock clock;
    private final long endNanos;

    private Deadline(Clock clock, long endNanos) {
        this.clock = clock;
        this.endNanos = endNanos;
    }

    public static Deadline after(Clock clock, Duration duration) {
        return new Deadline(clock, clock.monotonicNanos() + duration.toNanos());
    }

    /** This moment or {@code duration} from now, whichever is earlier. */
    public Deadline atMost(Duration duration) {
        long other = clock.monotonicNanos() + duration.toNanos();
        return other - endNanos < 0 ? new Deadline(clock, other) : this;
    }

    /** The clock that the deadline is counted by. */
    Clock clock() {
        return clock;
    }

    /** At least 1, so that it can be a timeout. */
    long remainingMillis() {
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(endNanos - clock.monotonicNanos()));
    }

    public boolean isOver() {
        return clock.monotonicNanos() - endNanos >= 0;
    }
}
