package io.tatami.meta.service.host;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads on which a server reads where that may wait for files, and what waits for them, which has a limit. */
final class ReaderPool {
    private ReaderPool() {}

    /** An executor that throws {@link RejectedExecutionException} while {@code waitingMax} tasks wait. */
    static ExecutorService of(int threads, int waitingMax, String name) {
        return new ThreadPoolExecutor(
                threads, threads, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(waitingMax), Threads.daemons(name));
    }

    /** The failure of what was to run on a pool, as a caller is told of it: BUSY where the pool refused it. */
    static Throwable told(Throwable thrown) {
        return Causes.unwrapped(thrown) instanceof RejectedExecutionException refused
                ? new TatamiException(
                        ErrorCode.BUSY, "too many reads are queued on this server; send this one later", refused)
                : thrown;
    }
}
