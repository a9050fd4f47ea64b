package io.tatami.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ManualClock;
import io.tatami.client.meta.LeaseThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The turns of writers that rest, by a clock and threads of the test. */
final class OpenWritersTest {
    private final ManualClock clock = new ManualClock();
    private final List<Runnable> timers = new ArrayList<>();
    private final List<Runnable> repairs = new ArrayList<>();
    private final OpenWriters writers = new OpenWriters(
            new LeaseThreads() {
                @Override
                public void later(Runnable task, long delayMillis) {
                    assertEquals(OpenWriters.TURN_MILLIS, delayMillis);
                    timers.add(task);
                }

                @Override
                public void repeat(Runnable task) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public void mend(Runnable task) {
                    repairs.add(task);
                }
            },
            clock);

    private static final class Writer implements OpenWriters.Member {
        private boolean isSound = true;
        private boolean canBeMended;
        private int looks;
        private int attempts;
        private boolean throwsWhenLookedAt;
        private boolean throwsWhenMended;

        @Override
        public boolean keepAlive() {
            looks++;
            if (throwsWhenLookedAt) {
                throw new IllegalStateException("a bug");
            }
            return isSound;
        }

        @Override
        public boolean mend() {
            attempts++;
            if (throwsWhenMended) {
                throw new IllegalStateException("a bug");
            }
            isSound = canBeMended;
            return canBeMended;
        }
    }

    private Writer add() {
        Writer writer = new Writer();
        writers.add(writer);
        return writer;
    }

    private void turn() {
        assertEquals(1, timers.size(), "one timer, however many writers there are");
        clock.advance(Duration.ofMillis(OpenWriters.TURN_MILLIS));
        timers.remove(0).run();
    }

    private void repair() {
        List<Runnable> all = List.copyOf(repairs);
        repairs.clear();
        all.forEach(Runnable::run);
    }

    @Test
    void writerThatThrowsKeepsNoOtherFromItsTurn() {
        List<Writer> many = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            many.add(add());
        }
        many.forEach(writer -> writer.throwsWhenLookedAt = true);
        turn();
        many.forEach(writer -> assertEquals(1, writer.looks));
        many.forEach(writer -> writer.throwsWhenLookedAt = false);
        turn();
        many.forEach(writer -> assertEquals(2, writer.looks));
    }

    @Test
    void attemptThatThrowsHasFailedAndIsMadeAgainAfterAPause() {
        Writer writer = add();
        writer.isSound = false;
        writer.throwsWhenMended = true;
        turn();
        repair();
        assertEquals(1, writer.attempts);
        writer.throwsWhenMended = false;
        writer.canBeMended = true;
        turn();
        repair();
        assertEquals(2, writer.attempts);
        assertTrue(writer.isSound);
    }

    @Test
    void oneTimerIsForAllWritersAndNoneForNone() {
        List<Writer> many = new ArrayList<>();
        for (int i = 0; i < 4_096; i++) {
            many.add(add());
        }
        turn();
        turn();
        many.forEach(writer -> assertEquals(2, writer.looks));
        assertTrue(repairs.isEmpty());
        many.forEach(writers::remove);
        turn();
        assertTrue(timers.isEmpty());
        add();
        turn();
    }

    @Test
    void aWriterIsMendedByOneThreadAtATimeAndAfterAFailureLessAndLessOften() {
        Writer writer = add();
        writer.isSound = false;
        turn();
        turn();
        assertEquals(1, repairs.size(), "it waits to be mended, and is not asked for again");
        int attempts = 0;
        for (int i = 0; i < 720; i++) {
            repair();
            turn();
            attempts = writer.attempts;
        }
        assertTrue(attempts > 10 && attempts < 30, attempts + " attempts in an hour");
        writer.canBeMended = true;
        for (int i = 0; i < 61; i++) {
            repair();
            turn();
        }
        assertTrue(writer.isSound);
        writer.isSound = false;
        writer.canBeMended = false;
        turn();
        assertEquals(1, repairs.size(), "after a success the next failure is mended at once");
    }

    @Test
    void aWriterThatWasClosedMeanwhileIsNotMended() {
        Writer writer = add();
        writer.isSound = false;
        turn();
        writers.remove(writer);
        repair();
        assertEquals(0, writer.attempts);
    }
}
