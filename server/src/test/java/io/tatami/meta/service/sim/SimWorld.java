package io.tatami.meta.service.sim;

import io.tatami.base.Clock;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Time and chance of a simulation: events in the order of their moments, all on the calling thread, from one seed; or
 * without any chance.
 */
final class SimWorld implements Clock {
    private static final Comparator<Event> IN_ORDER =
            Comparator.comparingLong(Event::atMillis).thenComparingLong(Event::number);

    private final PriorityQueue<Event> events = new PriorityQueue<>(IN_ORDER);
    private final @Nullable Random random;
    private long nowMillis = 1_000;
    private long scheduled;
    private long trace;
    private @Nullable Throwable bug;

    SimWorld(long seed) {
        this.random = new Random(seed * 0x9e3779b97f4a7c15L);
    }

    private SimWorld() {
        this.random = null;
    }

    /** Everything takes the shortest time it can, and no more happens by chance than must. */
    static SimWorld withoutChance() {
        return new SimWorld();
    }

    private record Event(long atMillis, long number, Runnable action) {}

    void after(long delayMillis, Runnable action) {
        events.add(new Event(nowMillis + delayMillis, scheduled++, action));
    }

    /** Runs events until {@code done} or for so long; whether it is done. */
    boolean runUntil(BooleanSupplier done, long limitMillis) {
        long endMillis = nowMillis + limitMillis;
        while (!done.getAsBoolean()) {
            Event next = events.peek();
            if (next == null || next.atMillis() > endMillis) {
                nowMillis = endMillis;
                return done.getAsBoolean();
            }
            events.remove();
            nowMillis = next.atMillis();
            next.action().run();
            Throwable thrown = bug;
            if (thrown != null) {
                throw new IllegalStateException("at " + nowMillis + " ms: " + thrown.getMessage(), thrown);
            }
        }
        return true;
    }

    void run(long millis) {
        boolean unused = runUntil(() -> false, millis);
    }

    /** Ends the simulation: something threw where nobody would hear of it. The first one counts. */
    void bug(Throwable thrown) {
        if (bug == null) {
            bug = thrown;
        }
    }

    /** Something that must come out the same when the seed is run again. */
    void trace(int what) {
        trace = (trace * 31 + what) * 31 + nowMillis;
    }

    /** Stands for all that was traced, in its order and at its moments. */
    long traced() {
        return trace;
    }

    int below(int bound) {
        return random == null ? 0 : random.nextInt(bound);
    }

    boolean chance(double probability) {
        return random != null && random.nextDouble() < probability;
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
