package io.tatami.client.file;

import io.tatami.base.Clock;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The turn of the thread that uses a writer: the program's, or one that looks after it while it rests. Safe for use by
 * many threads; not reentrant.
 */
final class WriterTurn {
    /** Between two looks of a waiting program at whether its writer has ended meanwhile. */
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Semaphore free = new Semaphore(1);

    /** Does not wait. True is to be followed by {@link #giveBack}. */
    boolean tryTake() {
        return free.tryAcquire();
    }

    /**
     * Waits for some time; does not where the turn is free. True is to be followed by {@link #giveBack}.
     *
     * @throws InterruptedException the turn is not taken
     */
    boolean take(Clock clock) throws InterruptedException {
        return free.tryAcquire() || clock.acquire(free, LOOK_NANOS);
    }

    void giveBack() {
        free.release();
    }

    /**
     * For a thread that looks after the writer; does not wait for the turn, and gives it back however the work ends.
     *
     * @param isEnding whether the writer is not to be touched any more
     * @param afterwards runs without the turn, after the work, also where that throws
     * @return what the work returns; true without doing it where the turn is taken, or the writer is ending
     */
    boolean lookAfter(BooleanSupplier isEnding, BooleanSupplier work, Runnable afterwards) {
        if (isEnding.getAsBoolean() || !free.tryAcquire()) {
            return true;
        }
        try {
            return isEnding.getAsBoolean() || work.getAsBoolean();
        } finally {
            free.release();
            afterwards.run();
        }
    }
}
