package io.tatami.benchmarks.harness.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SkewTest {
    @Test
    void theFullestServerIsComparedWithTheMeanOfAllAlsoOfThoseThatHaveNothing() {
        assertEquals(2, Skew.of(new double[] {4, 0, 1, 3}, null).maxToMean());
    }

    @Test
    void serversThatHaveTheSameHaveASkewOfOne() {
        Skew skew = Skew.of(new double[] {5, 5}, null);
        assertEquals(1, skew.maxToMean());
        assertEquals(0, skew.deviationPercent());
    }

    @Test
    void nothingHasASkewOfZero() {
        assertEquals(0, Skew.of(new double[] {0, 0}, null).maxToMean());
    }
}
