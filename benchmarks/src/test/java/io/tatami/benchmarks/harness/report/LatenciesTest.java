package io.tatami.benchmarks.harness.report;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LatenciesTest {
    @Test
    void percentilesAreOfTheNearestRank() {
        Latencies latencies = new Latencies();
        for (int millis = 200; millis >= 1; millis--) {
            latencies.add(millis * 1_000_000L);
        }
        assertEquals(200, latencies.count());
        assertEquals(1, latencies.millis(0));
        assertEquals(100, latencies.millis(50));
        assertEquals(198, latencies.millis(99));
        assertEquals(200, latencies.millis(100));
    }

    @Test
    void oneIsAllOfThem() {
        Latencies latencies = new Latencies();
        latencies.add(1_500_000);
        assertEquals(1.5, latencies.millis(50));
        assertEquals(1.5, latencies.millis(99));
    }
}
