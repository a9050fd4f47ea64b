package io.tatami.client.meta;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;

/** The pauses between the attempts of one operation: doubling, up to a second, and a little random. */
public final class Backoff {
    private static final int FIRST_MILLIS = 4;
    private static final int MILLIS_MAX = 1_000;
    /** While a group has no leader: it has one in a second or two, and nobody shall notice that much later. */
    private static final int LEADERLESS_MILLIS_MAX = 250;

    private final RandomGenerator random;
    private int nextMillis = FIRST_MILLIS;

    public Backoff(RandomGenerator random) {
        this.random = random;
    }

    /**
     * Waits, but not beyond {@code deadline}.
     *
     * @throws TatamiException CANCELLED on an interrupt, with the flag set again
     */
    public void pause(Deadline deadline) throws TatamiException {
        pause(deadline, MILLIS_MAX);
    }

    /** As {@link #pause(Deadline)} before the next attempt at a group whose leader did not answer; shorter. */
    void pauseLeaderless(Deadline deadline) throws TatamiException {
        pause(deadline, LEADERLESS_MILLIS_MAX);
    }

    private void pause(Deadline deadline, int millisMax) throws TatamiException {
        nextMillis = Math.min(nextMillis, millisMax);
        long millis = nextMillis / 2L + random.nextInt(nextMillis);
        nextMillis = Math.min(millisMax, nextMillis * 2);
        try {
            long nanos = TimeUnit.MILLISECONDS.toNanos(Math.min(millis, deadline.remainingMillis()));
            deadline.clock().sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.CANCELLED, "interrupted between two attempts", e);
        }
    }
}
