package io.tatami.meta.service.lead;

import java.util.concurrent.TimeUnit;

/**
 * Whether a read that needs the store's files is decided by the thread that brings it. Where the kernel has them in
 * memory such a read takes less time than handing it to another thread and back; where it comes from the disk, who
 * brings others would wait. Nobody tells which it will be, so it is told from the mean of those that were tried: while
 * they are quick all are, else one now and then. Safe for use by many threads.
 */
final class InlineReadPolicy {
    /**
     * Between what was measured out of the kernel's memory, 25 microseconds and on a machine that is busy throughout 35
     * to 55 in the mean, and what a device takes. Handing over costs such a machine some 50.
     */
    private static final long QUICK_NANOS = TimeUnit.MICROSECONDS.toNanos(80);

    /** One counts as no more: now and then a thread loses its processor in the midst of a read. */
    private static final long COUNTED_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(1);

    private static final int MEAN_OF = 64;
    private static final int TRIED_OF_SLOW = 64;

    private long meanNanos = 2 * QUICK_NANOS;
    private int untried;

    /** Whether the next one is to be tried. */
    synchronized boolean isNextTried() {
        untried++;
        if (meanNanos > QUICK_NANOS && untried < TRIED_OF_SLOW) {
            return false;
        }
        untried = 0;
        return true;
    }

    /** One that was tried has taken so long. */
    synchronized void took(long nanos) {
        meanNanos += (Math.min(nanos, COUNTED_NANOS_MAX) - meanNanos) / MEAN_OF;
    }
}
