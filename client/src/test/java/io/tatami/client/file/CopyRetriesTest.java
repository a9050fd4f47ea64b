package io.tatami.client.file;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.client.meta.Backoff;
import io.tatami.client.meta.Deadline;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class CopyRetriesTest {
    private static final Duration OPERATION = Duration.ofMinutes(1);
    private static final TatamiException UNREACHABLE = new TatamiException(ErrorCode.UNAVAILABLE, "no connection");
    private static final TatamiException BROKEN = new TatamiException(ErrorCode.IO_ERROR, "a broken disk");

    private final Time clock = new Time();
    private final CopyRetries retries =
            new CopyRetries(() -> Deadline.after(clock, OPERATION), () -> new Backoff(new Random(1)));

    /** Passes while it is slept. */
    private static final class Time implements io.tatami.base.Clock {
        private final ManualClock clock = new ManualClock();

        @Override
        public long wallMillis() {
            return clock.wallMillis();
        }

        @Override
        public long monotonicNanos() {
            return clock.monotonicNanos();
        }

        @Override
        public void sleep(long nanos) {
            clock.advance(Duration.ofNanos(nanos));
        }
    }

    @Test
    void aServerThatCannotBeReachedIsWaitedForAsLongAsAnOperationMayTake() throws Exception {
        long begin = clock.monotonicNanos();
        while (retries.pause(UNREACHABLE) != null) {
            assertTrue(clock.monotonicNanos() - begin <= OPERATION.toNanos());
        }
        assertTrue(clock.monotonicNanos() - begin >= OPERATION.toNanos());
    }

    @Test
    void otherFailuresAreMetAFewTimes() throws Exception {
        for (int round = 1; round < CopyRetries.ROUNDS_MAX; round++) {
            assertSame(BROKEN, retries.pause(BROKEN));
        }
        assertNull(retries.pause(BROKEN));
    }

    @Test
    void aBlockThatIsReadForLongerThanAnOperationMayTakeSurvivesARestart() throws Exception {
        assertSame(UNREACHABLE, retries.pause(UNREACHABLE));
        retries.succeeded();
        clock.sleep(OPERATION.toNanos() * 60);
        assertSame(UNREACHABLE, retries.pause(UNREACHABLE));
        assertFalse(retries.deadline().isOver());
    }

    @Test
    void failuresThatLieBeforeBytesThatCameDoNotCount() throws Exception {
        for (int i = 0; i < 100; i++) {
            assertSame(BROKEN, retries.pause(BROKEN));
            retries.succeeded();
        }
    }

    @Test
    void whatIsMetAfterALongStartIsMetAFewTimes() throws Exception {
        for (int round = 0; round < 2 * CopyRetries.ROUNDS_MAX; round++) {
            assertSame(UNREACHABLE, retries.pause(UNREACHABLE));
        }
        for (int round = 1; round < CopyRetries.ROUNDS_MAX; round++) {
            assertSame(BROKEN, retries.pause(BROKEN));
        }
        assertNull(retries.pause(BROKEN));
    }

    @Test
    void aServerThatWasNotReachedBeforeBytesThatCameIsNotWaitedFor() throws Exception {
        retries.failed(UNREACHABLE);
        retries.succeeded();
        assertSame(BROKEN, retries.pause(BROKEN));
    }

    @Test
    void oneServerThatCannotBeReachedIsWaitedForWhateverTheLastOneSays() throws Exception {
        for (int round = 0; round < 2 * CopyRetries.ROUNDS_MAX; round++) {
            retries.failed(UNREACHABLE);
            retries.failed(BROKEN);
            assertSame(UNREACHABLE, retries.pause(BROKEN));
        }
        assertSame(BROKEN, retries.pause(BROKEN));
    }
}
