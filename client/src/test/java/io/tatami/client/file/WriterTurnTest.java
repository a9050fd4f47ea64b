package io.tatami.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class WriterTurnTest {
    private final WriterTurn turn = new WriterTurn();
    private final AtomicBoolean isEnding = new AtomicBoolean();
    private final AtomicInteger afterwards = new AtomicInteger();

    @Test
    void turnIsGivenBackWhereTheWorkThrows() {
        assertThrows(
                IllegalStateException.class,
                () -> turn.lookAfter(
                        isEnding::get,
                        () -> {
                            assertFalse(turn.tryTake());
                            throw new IllegalStateException("a bug");
                        },
                        this::takeAndGiveBack));
        assertEquals(1, afterwards.get());
        assertTrue(turn.tryTake());
    }

    @Test
    void whatTheWorkTellsIsTold() {
        assertTrue(turn.lookAfter(isEnding::get, () -> true, this::takeAndGiveBack));
        assertFalse(turn.lookAfter(isEnding::get, () -> false, this::takeAndGiveBack));
        assertEquals(2, afterwards.get());
    }

    @Test
    void writerInUseOrEndingIsLeftAlone() {
        assertTrue(turn.tryTake());
        assertTrue(turn.lookAfter(isEnding::get, () -> false, this::takeAndGiveBack));
        turn.giveBack();
        isEnding.set(true);
        assertTrue(turn.lookAfter(isEnding::get, () -> false, this::takeAndGiveBack));
        assertEquals(0, afterwards.get());
    }

    private void takeAndGiveBack() {
        assertTrue(turn.tryTake(), "it runs without the turn");
        turn.giveBack();
        afterwards.incrementAndGet();
    }
}
