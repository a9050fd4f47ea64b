package io.tatami.benchmarks.harness.host;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DeviceCeilingTest {
    private static final DeviceCeiling.Speed SPEED = new DeviceCeiling.Speed(1000, 2000);

    @Test
    void ceilingsAreNearUpToFifteenPercentOfTheGreaterInEachDirection() {
        assertTrue(SPEED.isNear(new DeviceCeiling.Speed(850, 2000)));
        assertTrue(new DeviceCeiling.Speed(850, 2000).isNear(SPEED));
        assertFalse(SPEED.isNear(new DeviceCeiling.Speed(849, 2000)));
        assertFalse(SPEED.isNear(new DeviceCeiling.Speed(1000, 1699)));
        assertFalse(new DeviceCeiling.Speed(1000, 1699).isNear(SPEED));
    }
}
