package io.tatami.benchmarks.harness.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RoundsTest {
    private final Rounds rounds = new Rounds();

    @Test
    void ratiosAreOfTheSameRoundAndOfThoseThatHaveBoth() {
        rounds.put("ours", 10);
        rounds.put("theirs", 5);
        rounds.keep();
        rounds.put("ours", 7);
        rounds.keep();
        rounds.put("ours", 9);
        rounds.put("theirs", 3);
        rounds.keep();

        assertEquals(List.of(2.0, 3.0), rounds.ratios("ours", "theirs"));
        assertEquals(List.of(10.0, 7.0, 9.0), rounds.figures("ours"));
        assertEquals("2.50 (median of 2 rounds, 2.00 to 3.00)", Rounds.describe(rounds.ratios("ours", "theirs")));
    }

    @Test
    void aRoundThatIsLeftOutLeavesNothing() {
        rounds.put("ours", 10);
        rounds.leaveOut();
        rounds.put("theirs", 5);
        rounds.keep();

        assertEquals(Set.of("theirs"), rounds.subjects());
        assertEquals(List.of(), rounds.ratios("ours", "theirs"));
    }

    @Test
    void theGreatestCountsWithinARoundOnly() {
        rounds.putGreatest("ceiling", 4);
        rounds.putGreatest("ceiling", 6);
        rounds.putGreatest("ceiling", 5);
        rounds.keep();
        rounds.putGreatest("ceiling", 2);
        rounds.keep();

        assertEquals(List.of(6.0, 2.0), rounds.figures("ceiling"));
    }
}
