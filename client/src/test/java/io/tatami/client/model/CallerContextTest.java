package io.tatami.client.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;

/** What of a program's words goes into a request. */
final class CallerContextTest {
    @Test
    void wordsThatFitAreKept() {
        assertEquals("mr_task", CallerContext.of("mr_task").bytes().toStringUtf8());
        String longest = "x".repeat(128);
        assertEquals(longest, CallerContext.of(longest).bytes().toStringUtf8());
        assertSame(CallerContext.NONE, CallerContext.of(""));
    }

    @Test
    void longerWordsAreCutBetweenCharacters() {
        assertEquals("x".repeat(128), CallerContext.of("x".repeat(129)).bytes().toStringUtf8());
        assertEquals(
                "x" + "é".repeat(63),
                CallerContext.of("x" + "é".repeat(100)).bytes().toStringUtf8());
        assertEquals("畳".repeat(42), CallerContext.of("畳".repeat(43)).bytes().toStringUtf8());
    }
}
