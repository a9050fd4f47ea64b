package io.tatami.block.device;

import io.tatami.base.CrashPoint;
import io.tatami.base.TatamiException;
import org.jspecify.annotations.Nullable;

/**
 * Flushes for many callers at once: whoever comes while a flush runs waits for the next one, and all who wait share it.
 * A flush that was already running proves nothing for a write that returned after it began.
 */
public final class SharedFlush {
    private final Device device;
    private final IoThreads threads;
    private final Object lock = new Object();
    private long started;
    private long finished;
    private @Nullable TatamiException failure;

    public SharedFlush(Device device, IoThreads threads) {
        this.device = device;
        this.threads = threads;
    }

    /**
     * Returns once a flush that began after this call has ended well; an interrupt is kept for later.
     *
     * @throws TatamiException IO_ERROR, now and ever after, once a flush has failed
     */
    public void flush() throws TatamiException {
        if (leads()) {
            TatamiException thrown = null;
            try {
                CrashPoint.hit("device.flush.before");
                threads.flush(device::flush).await();
                CrashPoint.hit("device.flush.after");
            } catch (TatamiException e) {
                thrown = e;
            } finally {
                end(thrown);
            }
            if (thrown != null) {
                throw thrown;
            }
        }
    }

    /** Waits for somebody else's flush, or returns true: this caller is to do the one numbered {@link #started}. */
    private boolean leads() throws TatamiException {
        boolean interrupted = false;
        try {
            synchronized (lock) {
                long wanted = started + 1;
                while (true) {
                    if (failure != null) {
                        throw failure;
                    }
                    if (finished >= wanted) {
                        return false;
                    }
                    if (started == finished) {
                        started++;
                        return true;
                    }
                    try {
                        lock.wait();
                    } catch (InterruptedException e) {
                        interrupted = true;
                    }
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void end(@Nullable TatamiException thrown) {
        synchronized (lock) {
            finished = started;
            if (failure == null) {
                failure = thrown;
            }
            lock.notifyAll();
        }
    }
}
