package io.tatami.client.meta;

import io.tatami.base.Threads;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The {@link LeaseThreads} of a process. */
final class SharedLeaseThreads implements LeaseThreads {
    private static final int REPEATING_MAX = 4;
    private static final int MENDING_MAX = 16;
    private static final long IDLE_SECONDS = 10;

    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, Threads.daemons("tatami-leases"));

    /**
     * Of unbounded length; a renewer adds one task for each request that failed, and the next only after it is done.
     */
    private final ThreadPoolExecutor repeating = pool(REPEATING_MAX, "tatami-leases-again");

    /** Of unbounded length; an open file has one task at most. */
    private final ThreadPoolExecutor mending = pool(MENDING_MAX, "tatami-writers-mended");

    SharedLeaseThreads() {
        timer.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
    }

    private static ThreadPoolExecutor pool(int threads, String name) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Threads.daemons(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }

    @Override
    public void later(Runnable task, long delayMillis) {
        var unused = timer.schedule(task, delayMillis, TimeUnit.MILLISECONDS);
    }

    @Override
    public void mend(Runnable task) {
        mending.execute(task);
    }

    @Override
    public void repeat(Runnable task) {
        repeating.execute(task);
    }
}
