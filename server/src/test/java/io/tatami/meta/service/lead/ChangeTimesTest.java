package io.tatami.meta.service.lead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.seed.TestSeed;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ChangeTimesTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long MICRO = 1_000;

    private final ChangeTimes times = new ChangeTimes();

    private void add(int count, long nowNanos, long tookMicros) {
        for (int i = 0; i < count; i++) {
            times.add(nowNanos, tookMicros * MICRO);
        }
    }

    private void assertP99(long micros, long nowNanos) {
        long told = times.microsP99(nowNanos);
        assertTrue(told >= micros && told <= micros + micros / 8, () -> told + " instead of " + micros);
    }

    @Test
    void nothingIsToldBeforeTheFirstChange() {
        assertEquals(0, times.microsP99(0));
        assertEquals(0, times.microsP99(100 * SECOND));
    }

    @Test
    void ninetyNineOfAHundredTookNoLonger() {
        add(99, 0, 500);
        assertP99(500, 0);
        add(1, 0, 70_000);
        assertP99(500, 0);
        add(1, 0, 70_000);
        assertP99(70_000, 0);
    }

    @Test
    void whatIsTooLongIsAtMostAnEighth() {
        Random random = TestSeed.random();
        for (int i = 0; i < 1_000; i++) {
            ChangeTimes one = new ChangeTimes();
            long micros = 1 + random.nextLong(1L << (1 + random.nextInt(29)));
            one.add(SECOND, micros * MICRO);
            long told = one.microsP99(SECOND);
            assertTrue(told >= micros && told <= micros + micros / 8, () -> told + " instead of " + micros);
        }
    }

    @Test
    void timesAreForgottenAfterAMinuteAndNotWithinHalfOfOne() {
        long begin = 90 * SECOND;
        add(10, begin, 800);
        add(1_000, begin + 29 * SECOND, 100);
        add(10, begin + 30 * SECOND, 100);
        assertP99(100, begin + 59 * SECOND);
        add(20, begin + 59 * SECOND, 3_000);
        assertP99(3_000, begin + 60 * SECOND);
        assertP99(3_000, begin + 89 * SECOND);
        assertEquals(0, times.microsP99(begin + 120 * SECOND));
        add(1, begin + 3_600 * SECOND, 7);
        assertP99(7, begin + 3_600 * SECOND);
    }

    @Test
    void aClockMayBeginBelowZero() {
        add(1, -SECOND, 40);
        assertP99(40, -SECOND);
        add(200, SECOND, 9_000);
        assertP99(9_000, SECOND);
    }

    @Test
    void timesThatAreNoneAndThoseThatNeverEndAreCountedAtTheEnds() {
        times.add(0, -5);
        assertEquals(1, times.microsP99(0));
        times.add(0, Long.MAX_VALUE);
        assertEquals(TimeUnit.NANOSECONDS.toMicros((1L << 40) - 1), times.microsP99(0));
    }
}
