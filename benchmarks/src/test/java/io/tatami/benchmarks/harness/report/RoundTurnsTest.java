package io.tatami.benchmarks.harness.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** How far a benchmark is, and how long it may take yet. */
class RoundTurnsTest {
    private final StandingClock clock = new StandingClock();

    @Test
    void theTimeLeftIsThatOfTheTurnsLeftAtTheMeanOfThoseBefore() {
        RoundTurns turns = new RoundTurns(3, 2, clock);
        clock.passSeconds(500);
        assertEquals("", turns.text(), "what comes before the first turn is none");
        turns.next();
        clock.passSeconds(60);
        assertEquals("round 1 of 3, turn 1 of 2, 1:00 so far, the time left is not known yet", turns.text());
        turns.next();
        assertEquals("round 1 of 3, turn 2 of 2, 1:00 so far, about 5:00 left", turns.text());
        clock.passSeconds(30);
        assertEquals("round 1 of 3, turn 2 of 2, 1:30 so far, about 4:30 left", turns.text());
        clock.passSeconds(10);
        turns.next();
        // Fifty seconds each, of four turns.
        assertEquals("round 2 of 3, turn 1 of 2, 1:40 so far, about 3:20 left", turns.text());
    }

    @Test
    void aTurnThatTakesLongerThanThoseBeforeLeavesTheOthersTheirTime() {
        RoundTurns turns = new RoundTurns(3, 1, clock);
        turns.next();
        clock.passSeconds(10);
        turns.next();
        clock.passSeconds(25);
        assertEquals("round 2 of 3, 0:35 so far, about 0:10 left", turns.text());
        turns.next();
        clock.passSeconds(100);
        assertEquals("round 3 of 3, 2:15 so far, about 0:00 left", turns.text());
    }

    @Test
    void oneRoundIsToldByItsTurnsAlone() {
        RoundTurns turns = new RoundTurns(1, 3, clock);
        turns.next();
        clock.passSeconds(4_000);
        turns.next();
        assertEquals("turn 2 of 3, 66:40 so far, about 133:20 left", turns.text());
    }
}
