package io.tatami.client.meta;

import io.tatami.base.Threads;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The {@link LeaseThreads} of a process. */
final class SharedLeaseThreads implements LeaseThreads {
    private static final int REPEATING_MAX = 4;
    private static final long IDLE_SECONDS = 10;

    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, Threads.daemons("tatami-leases"));

    /**
     * Of unbounded length; a renewer adds one task for each request that failed, and the next only after it is done.
     */
    private final ThreadPoolExecutor repeating = new ThreadPoolExecutor(
            REPEATING_MAX,
            REPEATING_MAX,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Threads.daemons("tatami-leases-again"));

    SharedLeaseThreads() {
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        repeating.allowCoreThreadTimeOut(true);
    }

    @Override
    public void later(Runnable task, long delayMillis) {
        var unused = timer.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void repeat(Runnable task) {
        repeating.execute(task);
    }
}
