package io.tatami.meta.service.reclaim;

import java.time.Duration;

/**
 * What one block server has left of a shard's queue: nothing up to a number. It is looked through by a cursor of its
 * own, in sweeps that end with the first call that fails; the pause before the next sweep doubles with each that leaves
 * something. A server that is dead is not asked at all, and at once when it is so no longer. Owned by the runs of the
 * reclaimer.
 */
final class Backlog {
    static final Duration PAUSE_MIN = Duration.ofSeconds(5);
    static final Duration PAUSE_MAX = Duration.ofMinutes(1);

    private long cursor;

    /** Of this sweep. */
    private Left left = Left.NOTHING;

    private boolean silent;
    private boolean dead;
    private Duration pause = PAUSE_MIN;
    private long dueNanos;

    /** @param first the server has nothing left below it */
    Backlog(Left first, long nowNanos) {
        this.cursor = first.lowest() - 1;
        this.silent = first.silent();
        this.dueNanos = nowNanos + pause.toNanos();
    }

    /** Whether the server is to be asked now. */
    boolean isDue(boolean isDead, long nowNanos) {
        if (isDead) {
            dead = true;
        } else if (dead) {
            dead = false;
            pause = PAUSE_MIN;
            dueNanos = nowNanos;
        }
        return !dead && nowNanos - dueNanos >= 0;
    }

    /** Whether what is new for the server waits for its sweep, too. */
    boolean isSilent() {
        return silent;
    }

    /** The server has not answered what was asked beside the sweep. */
    void fellSilent() {
        silent = true;
    }

    /** The sweep goes on above this number. */
    long cursor() {
        return cursor;
    }

    /**
     * A page of the sweep is done.
     *
     * @param leftOfPage what the server has left of it
     * @param upTo the last number of the page
     * @param isLast the page reaches the end of the queue
     * @return whether the server has nothing left at all
     */
    boolean advance(Left leftOfPage, long upTo, boolean isLast, long nowNanos) {
        left = left.and(leftOfPage);
        cursor = Math.max(cursor, upTo);
        silent = leftOfPage.silent();
        if (!left.silent() && !isLast) {
            return false;
        }
        if (!left.any()) {
            return true;
        }
        Duration longer = pause.multipliedBy(2);
        pause = longer.compareTo(PAUSE_MAX) < 0 ? longer : PAUSE_MAX;
        dueNanos = nowNanos + pause.toNanos();
        cursor = left.lowest() - 1;
        left = Left.NOTHING;
        return false;
    }

    /**
     * What a server has left of some blocks.
     *
     * @param lowest the lowest number left; {@link Long#MAX_VALUE} for none
     * @param silent no answer came
     */
    record Left(long lowest, boolean silent) {
        static final Left NOTHING = new Left(Long.MAX_VALUE, false);

        boolean any() {
            return lowest != Long.MAX_VALUE;
        }

        Left and(Left other) {
            return new Left(Math.min(lowest, other.lowest), silent || other.silent);
        }
    }
}
