package io.tatami.block.service.write;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.MemoryBudget;
import io.tatami.protocol.BlockPayload;
import io.tatami.protocol.wire.WriteBlockRequest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How far the sender of a stream may send. */
final class ReceiveWindowTest {
    private static final int MIB = 1 << 20;
    private static final int SURE = BlockPayload.GUARANTEED_BYTES;
    private static final WriteBlockRequest REQUEST =
            WriteBlockRequest.newBuilder().setWindowed(true).build();

    @Test
    void theFirstMebibyteMayComeUnaskedAndNotAByteMore() {
        ReceiveWindow window = new ReceiveWindow(REQUEST, false);

        assertTrue(window.admits(MIB));
        assertFalse(window.admits(1));
    }

    @Test
    void aStreamGrowsToEightMebibytesAsItGoesAndGivesAllBackWhenItRests() {
        MemoryBudget budget = new MemoryBudget(64 * MIB);
        ReceiveWindow window = opened(budget);
        assertEquals(MIB, window.limitAfter(0));

        window.stored(20 * MIB, 0);
        assertEquals(28L * MIB, window.limitAfter(20 * MIB));
        assertEquals(8 * MIB - SURE, budget.taken());
        assertTrue(window.rest());
        assertEquals(20L * MIB + SURE, window.limitAfter(20 * MIB));

        assertEquals(0, budget.taken());
        assertFalse(window.rest());
        assertTrue(window.admits(28 * MIB), "what was sent before the lower limit came");
    }

    @Test
    void whereTheBudgetIsSpentEveryStreamHasWhatItIsSureOf() {
        MemoryBudget budget = new MemoryBudget(8 * MIB);
        List<ReceiveWindow> windows = new ArrayList<>();
        for (int i = 0; i < 4096; i++) {
            ReceiveWindow window = opened(budget);
            window.stored(MIB, 0);
            assertTrue(window.limitAfter(MIB) >= MIB + SURE);
            windows.add(window);
        }
        assertEquals(8 * MIB, budget.taken());
        assertEquals(MIB + SURE, windows.get(4095).limitAfter(MIB));

        windows.forEach(ReceiveWindow::close);

        assertEquals(0, budget.taken());
    }

    @Test
    void aSenderThatSharesItsMemoryTakesNoneUntilItHasGivenThatBack() {
        MemoryBudget budget = new MemoryBudget(64 * MIB);
        ReceiveWindow window = new ReceiveWindow(REQUEST, true);
        window.opened(budget);
        window.stored(20 * MIB, 0);
        assertTrue(window.limitAfter(20 * MIB) > 20 * MIB + SURE);
        assertEquals(0, budget.taken());

        window.rest();
        window.unshared();
        assertEquals(20L * MIB + SURE, window.limitAfter(20 * MIB));
        window.stored(20 * MIB, 0);
        assertEquals(48L * MIB, window.limitAfter(40 * MIB));
        assertEquals(8 * MIB - SURE, budget.taken());
    }

    @Test
    void aStreamThatSendsLittleTakesLittle() {
        MemoryBudget budget = new MemoryBudget(64 * MIB);
        ReceiveWindow window = opened(budget);
        window.stored(20 * MIB, 0);
        for (int second = 1; second <= 20; second++) {
            window.stored(100, second * 2_000_000_000L);
        }

        window.limitAfter(20 * MIB + 2_000);

        assertEquals(MIB - SURE, budget.taken());
    }

    @Test
    void framesWithoutBytesAreBoundedToo() {
        ReceiveWindow window = new ReceiveWindow(REQUEST, false);
        for (int i = 0; i < ReceiveWindow.FRAMES_MAX; i++) {
            assertTrue(window.admits(0));
        }

        assertFalse(window.admits(0));
    }

    private static ReceiveWindow opened(MemoryBudget budget) {
        ReceiveWindow window = new ReceiveWindow(REQUEST, false);
        window.opened(budget);
        return window;
    }
}
