package io.tatami.benchmarks.harness.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CoreTimesTest {
    @Test
    void waitingForADiskIsIdleAndATimeOfGuestsIsCountedOnce() {
        assertEquals(new CoreTimes(167, 1_067), CoreTimes.parse("cpu  100 20 30 800 100 4 6 7 50 5"));
    }

    @Test
    void busyIsThePartOfTheTimeBetweenTwoLooks() {
        assertEquals(25, new CoreTimes(150, 1_200).busyPercentSince(new CoreTimes(100, 1_000)));
    }

    @Test
    void noTimeIsNotBusy() {
        CoreTimes now = new CoreTimes(100, 1_000);
        assertEquals(0, now.busyPercentSince(now));
    }
}
