package io.tatami.block.device;

import io.tatami.base.TatamiException;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A device access that was queued or runs; made by {@link IoThreads}. Safe for use by many threads. */
public final class PendingAccess implements Runnable {
    private final IoThreads.Access access;
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile @Nullable Throwable failure;

    PendingAccess(IoThreads.Access access) {
        this.access = access;
    }

    @Override
    public void run() {
        try {
            access.run();
        } catch (TatamiException | RuntimeException | Error e) {
            failure = e;
        } finally {
            done.countDown();
        }
    }

    /** Whether the access has ended, well or not. */
    public boolean isDone() {
        return done.getCount() == 0;
    }

    /**
     * Waits until the access has ended; an interrupt is kept for later.
     *
     * @throws TatamiException what the access threw, itself; may be thrown more than once
     */
    public void await() throws TatamiException {
        awaitEnd();
        Throwable thrown = failure;
        if (thrown instanceof TatamiException e) {
            throw e;
        }
        if (thrown != null) {
            throw new IllegalStateException("a device access failed by a bug", thrown);
        }
    }

    /** As {@link #await}, whatever the access threw. */
    public void awaitEnd() {
        boolean interrupted = false;
        while (true) {
            try {
                done.await();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
