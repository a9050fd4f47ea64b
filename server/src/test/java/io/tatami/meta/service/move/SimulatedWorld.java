package io.tatami.meta.service.move;

import io.tatami.base.Clock;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;

/** Time and chance of a simulation: events in the order of their moments, all on the calling thread, from one seed. */
final class SimulatedWorld implements Clock {
    private static final Comparator<Event> IN_ORDER =
            Comparator.comparingLong(Event::atMillis).thenComparingLong(Event::number);

    private final PriorityQueue<Event> events = new PriorityQueue<>(IN_ORDER);
    private final Random random;
    private long nowMillis;
    private long scheduled;
    private boolean healed;

    SimulatedWorld(long seed) {
        this.random = new Random(seed);
    }

    private record Event(long atMillis, long number, Runnable action) {}

    void after(long delayMillis, Runnable action) {
        events.add(new Event(nowMillis + delayMillis, scheduled++, action));
    }

    /** Runs the events up to the moment {@code untilMillis}. */
    void run(long untilMillis) {
        Event next = events.peek();
        while (next != null && next.atMillis() <= untilMillis) {
            events.remove();
            nowMillis = next.atMillis();
            next.action().run();
            next = events.peek();
        }
        nowMillis = untilMillis;
    }

    /** From now on no message is lost and nothing crashes. */
    void heal() {
        healed = true;
    }

    boolean isHealed() {
        return healed;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** Mostly a few milliseconds; now and then so long that what was sent later comes first by far. */
    long networkDelayMillis() {
        return chance(0.03) ? 50 + below(400) : 1 + below(12);
    }

    @Override
    public long wallMillis() {
        return nowMillis;
    }

    @Override
    public long monotonicNanos() {
        return nowMillis * 1_000_000;
    }
}
