package io.tatami.block.device;

import io.tatami.base.TatamiException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that touch a device, so that no caller's interrupt ever closes its channel. They are never interrupted
 * themselves. The queue has no limit of its own: each read or write in it holds a buffer of a pool that has one.
 */
public final class IoThreads implements AutoCloseable {
    private static final long CLOSE_LIMIT_SECONDS = 60;

    private final Executor executor;

    private IoThreads(Executor executor) {
        this.executor = executor;
    }

    /** A device access that may fail. */
    @FunctionalInterface
    public interface Access {
        void run() throws TatamiException;
    }

    /**
     * @param name begins the names of the threads
     * @param threads how many accesses the device is given at once
     */
    public static IoThreads start(String name, int threads) {
        AtomicInteger number = new AtomicInteger();
        return new IoThreads(Executors.newFixedThreadPool(threads, task -> {
            Thread thread = new Thread(task, name + "-io-" + number.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        }));
    }

    /** No threads: each access runs where it is submitted. For tests that repeat an order of accesses from a seed. */
    public static IoThreads onCaller() {
        return new IoThreads(Runnable::run);
    }

    /** Queues an access; accesses run side by side, in no order. */
    public PendingAccess submit(Access access) {
        PendingAccess pending = new PendingAccess(access);
        executor.execute(pending);
        return pending;
    }

    /** Whether an access runs or waits now. */
    public boolean isBusy() {
        return executor instanceof ThreadPoolExecutor pool
                && (pool.getActiveCount() > 0 || !pool.getQueue().isEmpty());
    }

    /** Lets what is queued finish, then ends the threads. */
    @Override
    public void close() {
        if (executor instanceof ExecutorService service) {
            service.shutdown();
            awaitEnd(service);
        }
    }

    private static void awaitEnd(ExecutorService service) {
        boolean interrupted = false;
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_LIMIT_SECONDS);
        boolean ended = false;
        while (!ended && System.nanoTime() < endNanos) {
            try {
                ended = service.awaitTermination(endNanos - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
