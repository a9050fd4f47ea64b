package io.tatami.client.meta;

import io.tatami.base.Threads;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads that renew the leases of all clients of this process: one that sends what is due and waits for nothing,
 * and a few that try again what failed. They end when no file is open for writing. Safe for use by many threads.
 */
final class LeaseThreads {
    private static final int REPEATING_MAX = 4;
    private static final long IDLE_SECONDS = 10;

    private static final ScheduledThreadPoolExecutor TIMER =
            new ScheduledThreadPoolExecutor(1, Threads.daemons("tatami-leases"));

    /**
     * Of unbounded length; a renewer adds one task for each request that failed, and the next only after it is done.
     */
    private static final ThreadPoolExecutor REPEATING = new ThreadPoolExecutor(
            REPEATING_MAX,
            REPEATING_MAX,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Threads.daemons("tatami-leases-again"));

    static {
        TIMER.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        TIMER.allowCoreThreadTimeOut(true);
        REPEATING.allowCoreThreadTimeOut(true);
    }

    private LeaseThreads() {}

    /** @param task must not block */
    static void later(Runnable task, long delayMillis) {
        var unused = TIMER.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
    }

    /** @param task may block for as long as leases may go without renewal */
    static void repeat(Runnable task) {
        REPEATING.execute(task);
    }
}
