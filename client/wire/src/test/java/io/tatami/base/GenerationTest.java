package io.tatami.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class GenerationTest {
    @Test
    void generationsAreOrderedByTheirNumbers() {
        Generation three = Generation.of(3);
        assertTrue(Generation.NONE.isBelow(Generation.FIRST));
        assertTrue(three.isAbove(Generation.of(2)));
        assertFalse(three.isAbove(three));
        assertFalse(three.isBelow(three));
        assertEquals(
                List.of(Generation.FIRST, three, Generation.MAX),
                List.of(Generation.MAX, three, Generation.FIRST).stream()
                        .sorted()
                        .toList());
        assertEquals(Generation.of(4), three.next());
    }

    @Test
    void blocksAtTheirFirstGenerationShareOneObject() {
        assertSame(Generation.FIRST, Generation.of(1));
        assertSame(Generation.FIRST, Generation.NONE.next());
    }

    @Test
    void noGenerationIsNegativeOrAboveTheHighest() {
        assertThrows(IllegalStateException.class, () -> Generation.of(-1));
        assertThrows(ArithmeticException.class, Generation.MAX::next);
    }
}
