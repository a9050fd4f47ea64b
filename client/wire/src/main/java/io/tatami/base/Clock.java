package io.tatami.base;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Time as a seam: production code never asks the system itself, which an architecture test holds. How long a thread may
 * block is a {@link WaitLimit}. Implementations are safe for use by many threads.
 *
 * <p>The waits of threads of a client are part of the seam, too. They last as long as the machine's own clock says,
 * except where an implementation replaces them: a simulation lets other threads go on, and its own time pass.
 */
public interface Clock {
    /** Milliseconds since 1970 by the wall clock, which may jump either way; for times that users see. */
    long wallMillis();

    /** Nanoseconds since an arbitrary moment, never falling; for timeouts and leases. */
    long monotonicNanos();

    /** Lets the calling thread do nothing for so long. */
    default void sleep(long nanos) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(nanos);
    }

    /**
     * Waits until {@code isOver}, for {@code nanos} at most.
     *
     * @param held the lock of {@code changed}, which the calling thread holds once; it is released meanwhile
     * @param isOver whether there is nothing to wait for any more; {@code changed} is signalled when it becomes true
     * @return what is left of {@code nanos}; 0 and below once they are over
     */
    default long await(ReentrantLock held, Condition changed, BooleanSupplier isOver, long nanos)
            throws InterruptedException {
        long left = nanos;
        while (left > 0 && !isOver.getAsBoolean()) {
            left = changed.awaitNanos(left);
        }
        return left;
    }

    /**
     * The value of {@code future}, waited for.
     *
     * @throws TimeoutException if it has none after {@code nanos}
     */
    default <T> T get(CompletableFuture<T> future, long nanos)
            throws InterruptedException, ExecutionException, TimeoutException {
        return future.get(nanos, TimeUnit.NANOSECONDS);
    }

    /** Takes the first element of {@code queue}, waited for; null if there is none after {@code nanos}. */
    default <T> @Nullable T poll(BlockingQueue<T> queue, long nanos) throws InterruptedException {
        return queue.poll(nanos, TimeUnit.NANOSECONDS);
    }

    /** Takes a permit, waited for; false if there is none after {@code nanos}. */
    default boolean acquire(Semaphore permits, long nanos) throws InterruptedException {
        return permits.tryAcquire(nanos, TimeUnit.NANOSECONDS);
    }

    /** Takes a lock that may be held by a thread that waits. */
    default void lock(ReentrantLock lock) {
        lock.lock();
    }

    /** The machine's own clocks. */
    Clock SYSTEM = new Clock() {
        @Override
        public long wallMillis() {
            return System.currentTimeMillis();
        }

        @Override
        public long monotonicNanos() {
            return System.nanoTime();
        }
    };
}
