package io.tatami.block.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class HangPatienceTest {
    private int waits;
    private int looks;

    @Test
    void whatHangsAtAllLooksIsLeft() {
        assertFalse(HangPatience.await(this::waitInVain, () -> true));

        assertEquals(HangPatience.LOOKS_MAX, waits);
    }

    @Test
    void whatIsMerelySlowIsWaitedForHoweverLongItTakes() {
        assertTrue(HangPatience.await(limit -> waitInVain(limit) || waits == 10_000, () -> false));
    }

    @Test
    void whoeverGoesOnMeanwhileIsGivenAsManyLooksAgain() {
        assertFalse(HangPatience.await(this::waitInVain, () -> ++looks != HangPatience.LOOKS_MAX - 1));

        assertEquals(2 * HangPatience.LOOKS_MAX - 1, waits);
    }

    @Test
    void anInterruptIsKeptForLater() {
        Thread.currentThread().interrupt();

        boolean ended = HangPatience.await(
                limit -> {
                    Thread.sleep(0);
                    return true;
                },
                () -> true);

        assertTrue(Thread.interrupted());
        assertTrue(ended);
    }

    private boolean waitInVain(long limitMillis) {
        assertTrue(limitMillis > 0);
        waits++;
        return false;
    }
}
