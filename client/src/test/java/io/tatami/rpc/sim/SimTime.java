package io.tatami.rpc.sim;

import io.tatami.base.Check;
import io.tatami.base.Clock;
import java.time.Duration;
import java.util.PriorityQueue;
import java.util.function.BooleanSupplier;

/**
 * Virtual time: a queue of events, and a clock that jumps from one to the next. Events of the same moment happen in the
 * order in which they were scheduled, so that a run depends on nothing but its seed. For one thread.
 */
public final class SimTime implements Clock {
    private static final long WALL_MILLIS_AT_START = 1_700_000_000_000L;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long nowNanos;
    private long lastSequence;

    private record Event(long nanos, long sequence, Runnable action) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(nanos, other.nanos);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }

    @Override
    public long wallMillis() {
        return WALL_MILLIS_AT_START + nowNanos / 1_000_000;
    }

    @Override
    public long monotonicNanos() {
        return nowNanos;
    }

    /** Lets {@code action} happen {@code delayNanos} from now. */
    public void after(long delayNanos, Runnable action) {
        Check.check(delayNanos >= 0, "a delay of %d ns", delayNanos);
        events.add(new Event(nowNanos + delayNanos, ++lastSequence, action));
    }

    /** Lets the next event happen; false when there is none. */
    public boolean runNext() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        nowNanos = Math.max(nowNanos, next.nanos);
        next.action.run();
        return true;
    }

    /** Lets events happen until none is left. */
    public void runUntilIdle() {
        boolean more = true;
        while (more) {
            more = runNext();
        }
    }

    /** Lets events happen until {@code condition} holds; false when none is left before. */
    public boolean runUntil(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (!runNext()) {
                return false;
            }
        }
        return true;
    }

    /** Lets all events of the next {@code time} happen. */
    public void run(Duration time) {
        long endNanos = nowNanos + time.toNanos();
        while (!events.isEmpty() && events.peek().nanos <= endNanos) {
            runNext();
        }
        nowNanos = endNanos;
    }
}
