package io.tatami.block.volume.maintain;

import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.base.Threads;
import io.tatami.base.WaitLimit;
import io.tatami.block.device.HangPatience;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A pass over a volume that others should hardly notice: on a thread of its own, which is never interrupted, and no
 * faster than it is told to. One at a time. May be called by any thread; a pass can also be made on the caller's,
 * without {@link #start}.
 */
final class PacedPass implements AutoCloseable {
    private final String name;
    private final Clock clock;
    private final long bytesPerSecondMax;
    private @Nullable Thread thread;
    private boolean stopping;
    private long startNanos;

    /** @param bytesPerSecondMax at least 1 */
    PacedPass(String name, Clock clock, long bytesPerSecondMax) {
        Check.check(bytesPerSecondMax > 0, "%s at %d bytes/s", name, bytesPerSecondMax);
        this.name = name;
        this.clock = clock;
        this.bytesPerSecondMax = bytesPerSecondMax;
    }

    /** Runs {@code body} on a new thread, unless a pass is under way. */
    synchronized void start(Runnable body) {
        if (thread != null) {
            return;
        }
        stopping = false;
        Thread started = Threads.daemon(() -> run(body), name);
        thread = started;
        started.start();
    }

    synchronized boolean isRunning() {
        return thread != null;
    }

    /** From now on time counts; called by the pass. */
    synchronized void begin() {
        startNanos = clock.monotonicNanos();
    }

    /**
     * Waits while ahead of the allowed rate; called by the pass.
     *
     * @param doneBytes since {@link #begin}
     * @return false once the pass is to end
     */
    synchronized boolean mayGoOn(long doneBytes) {
        return awaitTurn(() -> aheadMillis(doneBytes));
    }

    /** Waits a moment, however far the pass is; called by the pass. False once it is to end. */
    synchronized boolean rest(long millis) {
        long begunNanos = clock.monotonicNanos();
        return awaitTurn(() -> millis - elapsedMillis(begunNanos));
    }

    /** Has the pass under way end soon. */
    synchronized void end() {
        stopping = true;
        notifyAll();
    }

    /** Whether the pass that is to end has ended, within {@code limitMillis}. */
    synchronized boolean awaitEnd(long limitMillis) throws InterruptedException {
        WaitLimit limit = WaitLimit.ofMillis(limitMillis);
        long leftMillis = limitMillis;
        while (thread != null && stopping && leftMillis > 0) {
            wait(leftMillis);
            leftMillis = limit.leftMillis();
        }
        return thread == null || !stopping;
    }

    /** Ends the pass under way and waits until it has ended; an interrupt is kept for later. */
    @Override
    public void close() {
        end();
        boolean unused = HangPatience.await(this::awaitEnd, () -> false);
    }

    private void run(Runnable body) {
        try {
            body.run();
        } finally {
            synchronized (this) {
                thread = null;
                notifyAll();
            }
        }
    }

    /** Waits as long as there are milliseconds left; under the monitor. */
    private synchronized boolean awaitTurn(LongSupplier millisLeft) {
        boolean interrupted = false;
        long waitMillis = millisLeft.getAsLong();
        while (!stopping && waitMillis > 0) {
            try {
                wait(waitMillis);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            waitMillis = millisLeft.getAsLong();
        }
        keepForLater(interrupted);
        return !stopping;
    }

    private long aheadMillis(long doneBytes) {
        double wantedSeconds = (double) doneBytes / bytesPerSecondMax;
        return (long) (wantedSeconds * TimeUnit.SECONDS.toMillis(1)) - elapsedMillis(startNanos);
    }

    private long elapsedMillis(long sinceNanos) {
        return TimeUnit.NANOSECONDS.toMillis(clock.monotonicNanos() - sinceNanos);
    }

    private static void keepForLater(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
