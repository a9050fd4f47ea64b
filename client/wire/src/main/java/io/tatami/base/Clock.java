package io.tatami.base;

/**
 * Time as a seam: production code never asks the system itself, which an architecture test holds. How long a thread may
 * block is a {@link WaitLimit}. Implementations are safe for use by many threads.
 */
public interface Clock {
    /** Milliseconds since 1970 by the wall clock, which may jump either way; for times that users see. */
    long wallMillis();

    /** Nanoseconds since an arbitrary moment, never falling; for timeouts and leases. */
    long monotonicNanos();

    /** The machine's own clocks. */
    Clock SYSTEM = new Clock() {
        @Override
        public long wallMillis() {
            return System.currentTimeMillis();
        }

        @Override
        public long monotonicNanos() {
            return System.nanoTime();
        }
    };
}
