package io.tatami.block.service.context;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ManualClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Copies take no more of a server than they may. */
final class CopyRateTest {
    private static final long RATE = 10_000_000;

    private final ManualClock clock = new ManualClock();
    private final CopyRate rate = new CopyRate(clock, RATE);

    @Test
    void overTenSecondsNoMoreIsMovedThanTheRateAllows() {
        assertEquals(10 * RATE, movedIn(10_000), 0.02 * 10 * RATE);
    }

    @Test
    void theRateChangesAtRunTimeAndComesBack() {
        rate.set(RATE / 10);
        assertEquals(RATE, movedIn(10_000), 0.3 * RATE);
        rate.set(-1);
        assertEquals(0, rate.bytesPerSecond());
        for (int i = 0; i < 1_000; i++) {
            assertTrue(rate.mayGoOn(() -> {}));
            rate.spend(RATE);
        }
        rate.set(0);
        assertEquals(RATE, rate.bytesPerSecond());
        clock.advance(Duration.ofMillis(50));
        assertTrue(rate.mayGoOn(() -> {}), "what was moved without a limit is not paid for");
    }

    @Test
    void whoWaitsGoesOnOnceAllIsPaidFor() {
        AtomicInteger woken = new AtomicInteger();
        clock.advance(Duration.ofSeconds(5));
        rate.spend(2 * RATE);
        assertFalse(rate.mayGoOn(woken::incrementAndGet));
        clock.advance(Duration.ofMillis(1_899));
        rate.tick();
        assertEquals(0, woken.get());
        clock.advance(Duration.ofMillis(2));
        rate.tick();
        rate.tick();
        assertEquals(1, woken.get());
    }

    @Test
    void aWaitEndsWithItsUser() {
        rate.spend(100 * RATE);
        AtomicInteger looks = new AtomicInteger();
        rate.await(() -> looks.incrementAndGet() > 3);
        assertEquals(4, looks.get());
    }

    private double movedIn(int millis) {
        long moved = 0;
        for (int i = 0; i < millis; i++) {
            while (rate.mayGoOn(() -> {})) {
                rate.spend(100_000);
                moved += 100_000;
            }
            clock.advance(Duration.ofMillis(1));
        }
        return moved;
    }
}
