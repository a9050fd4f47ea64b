package io.tatami.meta.service.copies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class BlockWaitsTest {
    private static final BlockId BLOCK = new BlockId(7);
    private static final ServerId SERVER = new ServerId(3);

    private long nowNanos;
    private final BlockWaits waits = new BlockWaits(new Clock() {
        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public long monotonicNanos() {
            return nowNanos;
        }
    });

    @Test
    void serverThatCouldNotMakeACopyIsAskedAgainLaterAndLater() {
        Duration pause = BlockWaits.REFUSAL_MIN;
        for (int time = 1; time <= 8; time++) {
            waits.refused(BLOCK, SERVER);
            nowNanos += pause.toNanos() - 1;
            assertTrue(waits.isRefused(BLOCK, SERVER), "after " + pause);
            nowNanos++;
            assertFalse(waits.isRefused(BLOCK, SERVER), "after " + pause);
            pause = pause.multipliedBy(2).compareTo(BlockWaits.PAUSE_MAX) < 0
                    ? pause.multipliedBy(2)
                    : BlockWaits.PAUSE_MAX;
        }
        assertEquals(BlockWaits.PAUSE_MAX, pause);
        assertFalse(waits.isRefused(new BlockId(8), SERVER));
        waits.forget(BLOCK);
        waits.refused(BLOCK, SERVER);
        nowNanos += BlockWaits.REFUSAL_MIN.toNanos();
        assertFalse(waits.isRefused(BLOCK, SERVER));
    }
}
