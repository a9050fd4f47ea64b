package io.tatami.rpc.sim;

import io.tatami.base.Check;
import io.tatami.base.Clock;
import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time: a queue of events, and a clock that jumps from one to the next. Events of the same moment happen in the
 * order in which they were scheduled, so that a run depends on nothing but its seed. For one thread at a time: that of
 * the test, or the {@link #threads}.
 */
public final class SimTime implements Clock {
    private static final long WALL_MILLIS_AT_START = 1_700_000_000_000L;

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long nowNanos;
    private long lastSequence;
    private final SimThreads threads = new SimThreads(this);

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

    /** For events that wait. */
    public SimThreads threads() {
        return threads;
    }

    @Override
    public void sleep(long nanos) {
        boolean unused = threads.await(() -> false, nanos);
    }

    @Override
    public long await(ReentrantLock held, Condition changed, BooleanSupplier isOver, long nanos) {
        long endNanos = nowNanos + nanos;
        held.unlock();
        try {
            boolean unused = threads.await(isOver, nanos);
        } finally {
            held.lock();
        }
        return endNanos - nowNanos;
    }

    @Override
    public <T> T get(CompletableFuture<T> future, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (!threads.await(future::isDone, nanos)) {
            throw new TimeoutException("nothing within " + nanos + " ns of the simulation");
        }
        return future.get();
    }

    @Override
    public <T> @Nullable T poll(BlockingQueue<T> queue, long nanos) {
        boolean unused = threads.await(() -> !queue.isEmpty(), nanos);
        return queue.poll();
    }

    @Override
    public boolean acquire(Semaphore permits, long nanos) {
        boolean unused = threads.await(() -> permits.availablePermits() > 0, nanos);
        return permits.tryAcquire();
    }

    @Override
    public void lock(ReentrantLock lock) {
        while (!lock.tryLock()) {
            boolean unused = threads.await(() -> !lock.isLocked(), Long.MAX_VALUE);
        }
    }

    /** Waits for {@code condition} as the calling thread can; false where it will never hold. */
    boolean await(BooleanSupplier condition) {
        return threads.isRunning() ? threads.await(condition, Long.MAX_VALUE) : runUntil(condition);
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
