package io.tatami.client.meta;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.util.random.RandomGenerator;

/** The pauses between the attempts of one operation: doubling, up to a second, and a little random. */
public final class Backoff {
    private static final int FIRST_MILLIS = 4;
    private static final int MILLIS_MAX = 1_000;

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
        long millis = nextMillis / 2L + random.nextInt(nextMillis);
        nextMillis = Math.min(MILLIS_MAX, nextMillis * 2);
        try {
            Thread.sleep(Math.min(millis, deadline.remainingMillis()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.CANCELLED, "interrupted between two attempts", e);
        }
    }
}
