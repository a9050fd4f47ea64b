package io.tatami.meta.service.move;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.DirectoryId;
import org.junit.jupiter.api.Test;

class DirectoryHeatTest {
    private static final DirectoryId ONE = new DirectoryId(1);
    private static final DirectoryId TWO = new DirectoryId(2);
    private static final DirectoryId THREE = new DirectoryId(3);
    private static final long MILLIS = 1_000_000;

    private final DirectoryHeat heat = new DirectoryHeat(2);

    @Test
    void theRateIsThatOfTheLastWholeWindow() {
        assertEquals(-1, heat.look(ONE, 500, 0));
        assertEquals(-1, heat.look(ONE, 1_000, 200 * MILLIS), "too short to tell");
        assertEquals(2_500, heat.look(ONE, 3_000, 1_000 * MILLIS));
        assertEquals(2_500, heat.look(ONE, 3_500, 1_900 * MILLIS));
        assertEquals(250, heat.look(ONE, 4_000, 5_000 * MILLIS), "it has cooled down");
    }

    @Test
    void aDirectoryWhoseCountBeganAnewIsNotHot() {
        assertEquals(-1, heat.look(ONE, 100_000, 0));
        assertEquals(-1, heat.look(ONE, 500, 2_000 * MILLIS));
        assertEquals(500, heat.look(ONE, 1_000, 3_000 * MILLIS));
    }

    @Test
    void theDirectoryThatWasLookedAtLongestAgoIsForgotten() {
        assertEquals(-1, heat.look(ONE, 0, 0));
        assertEquals(-1, heat.look(TWO, 0, 0));
        assertEquals(1_000, heat.look(ONE, 2_000, 2_000 * MILLIS));
        assertEquals(-1, heat.look(THREE, 0, 2_000 * MILLIS));
        assertEquals(1_000, heat.look(ONE, 3_000, 3_000 * MILLIS));
        assertEquals(-1, heat.look(TWO, 9_000, 3_000 * MILLIS));
    }
}
