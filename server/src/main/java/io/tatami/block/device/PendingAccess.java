package io.tatami.block.device;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.WaitLimit;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A device access that was queued or runs; made by {@link IoThreads}. Safe for use by many threads. */
public final class PendingAccess implements Runnable {
    private final IoThreads.Access access;
    private final @Nullable AccessKind kind;
    private final int bytes;
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile @Nullable Throwable failure;
    private boolean begun;
    private boolean ended;
    private boolean abandoned;
    private @Nullable Runnable afterwards;

    /** @param kind null for a flush */
    PendingAccess(IoThreads.Access access, @Nullable AccessKind kind, int bytes) {
        this.access = access;
        this.kind = kind;
        this.bytes = bytes;
    }

    @Nullable
    AccessKind kind() {
        return kind;
    }

    int bytes() {
        return bytes;
    }

    @Override
    public void run() {
        synchronized (this) {
            if (abandoned) {
                return;
            }
            begun = true;
        }
        try {
            access.run();
        } catch (TatamiException | RuntimeException | Error e) {
            failure = e;
        } finally {
            end();
        }
    }

    /** Whoever waits for the end finds done what was to be done afterwards. */
    private void end() {
        Runnable then;
        synchronized (this) {
            ended = true;
            then = afterwards;
            afterwards = null;
        }
        try {
            if (then != null) {
                then.run();
            }
        } finally {
            done.countDown();
        }
    }

    /**
     * Nobody waits for the access any more: it is not begun if it has not been yet.
     *
     * @param then run once, at once or by the thread that ends the access, when it touches its buffer no more, and
     *     before {@link #isDone()}; must return soon
     */
    public void abandon(Runnable then) {
        synchronized (this) {
            abandoned = true;
            if (begun && !ended) {
                afterwards = then;
                return;
            }
        }
        then.run();
    }

    /** Ends it without having run it; nobody runs it afterwards. */
    void giveUp() {
        failure = new TatamiException(ErrorCode.CANCELLED, "a device access was cancelled before it began");
        done.countDown();
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

    /**
     * Waits until the access has ended, whatever it threw, but no longer than {@code limitMillis}; an interrupt is kept
     * for later.
     *
     * @return whether it has ended
     */
    public boolean awaitEnd(long limitMillis) {
        boolean interrupted = false;
        boolean ended = false;
        WaitLimit limit = WaitLimit.ofMillis(limitMillis);
        long leftNanos = limit.leftNanos();
        do {
            try {
                ended = done.await(leftNanos, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            leftNanos = limit.leftNanos();
        } while (!ended && leftNanos > 0);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return ended;
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
