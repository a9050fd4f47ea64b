package io.tatami.block.service.copy;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * How many short blocks are written to a volume at once. Each holds a buffer of the volume from its first byte here
 * until all are on the device, and many more of them wait for their sources: those must not take the buffers of
 * writers. Urgent ones have places of their own, so that no others hold them up. Safe for use by many threads.
 */
final class WritePlaces {
    /** How soon a pull that waits for a place notices that it is cancelled. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final Semaphore urgent;
    private final Semaphore others;

    /** @param places for each of the two kinds */
    WritePlaces(int places) {
        this.urgent = new Semaphore(places);
        this.others = new Semaphore(places);
    }

    /** The turn of a pull, which has no place yet. */
    Turn of(Pull pull, Clock clock) {
        return new Turn(pull, clock, pull.urgent() ? urgent : others);
    }

    /** One pull's. Used by one thread. */
    static final class Turn implements AutoCloseable {
        private final Pull pull;
        private final Clock clock;
        private final Semaphore places;
        private boolean taken;

        private Turn(Pull pull, Clock clock, Semaphore places) {
            this.pull = pull;
            this.clock = clock;
            this.places = places;
        }

        /**
         * Waits for a place, if the pull needs one and has none.
         *
         * @throws TatamiException why the pull was cancelled meanwhile
         */
        void await() throws TatamiException {
            try {
                while (pull.isShort() && !taken) {
                    pull.throwIfCancelled();
                    taken = clock.acquire(places, LOOK_NANOS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new TatamiException(ErrorCode.CANCELLED, "interrupted while " + pull + " waited", e);
            }
        }

        @Override
        public void close() {
            if (taken) {
                taken = false;
                places.release();
            }
        }
    }
}
