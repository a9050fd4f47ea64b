package io.tatami.block.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessTimes.Measure;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AccessTimesTest {
    private static final int UNIT = Device.UNIT_BYTES;
    private static final int SECTOR = Device.ALIGNMENT_BYTES;

    private final ManualClock clock = new ManualClock();
    private final SimFaults faults = new SimFaults();
    private final SimDisk disk = new SimDisk(4L * UNIT, faults);
    private final GuardedDevice device = new GuardedDevice(disk, new FailStop("volume"), clock);

    @Test
    void smallAccessesAndLargeOnesAreMeasuredApartAndLargeOnesByTheirSize() throws TatamiException {
        disk.takeTime(clock, Duration.ofMillis(5), Duration.ofMillis(40));
        access(AccessTimes.SAMPLES_MIN, SECTOR);
        access(AccessTimes.SAMPLES_MIN, UNIT / 2);

        Map<Measure, Long> typical = device.times().typicalNanos();

        long small = Duration.ofMillis(5).toNanos() + Duration.ofMillis(40).toNanos() * SECTOR / UNIT;
        assertEquals(small, typical.get(Measure.SMALL_READ));
        assertEquals(small, typical.get(Measure.SMALL_WRITE));
        // Half a unit at 40 ms a unit, and 5 ms, both for twice as much.
        assertEquals(Duration.ofMillis(50).toNanos(), typical.get(Measure.LARGE_READ));
        assertEquals(Duration.ofMillis(50).toNanos(), typical.get(Measure.LARGE_WRITE));
    }

    @Test
    void fewSamplesAndOldOnesSayNothing() throws TatamiException {
        disk.takeTime(clock, Duration.ofMillis(5), Duration.ZERO);
        access(AccessTimes.SAMPLES_MIN - 1, SECTOR);
        assertEquals(Map.of(), device.times().typicalNanos());

        access(1, SECTOR);
        assertEquals(2, device.times().typicalNanos().size());

        clock.advance(Duration.ofMinutes(11));
        assertEquals(Map.of(), device.times().typicalNanos());
    }

    @Test
    void theTypicalTimeFollowsTheLastAccessesAndAFewOutliersDoNotChangeIt() throws TatamiException {
        disk.takeTime(clock, Duration.ofMillis(5), Duration.ZERO);
        access(64, SECTOR);
        disk.takeTime(clock, Duration.ofMillis(500), Duration.ZERO);
        access(20, SECTOR);
        assertEquals(
                Duration.ofMillis(5).toNanos(), device.times().typicalNanos().get(Measure.SMALL_READ));

        access(20, SECTOR);
        assertEquals(
                Duration.ofMillis(500).toNanos(), device.times().typicalNanos().get(Measure.SMALL_READ));
    }

    @Test
    void failedAccessesAreNotCountedAndAreNoLongerUnderWay() throws TatamiException {
        disk.takeTime(clock, Duration.ofMillis(5), Duration.ZERO);
        access(AccessTimes.SAMPLES_MIN - 1, SECTOR);
        faults.arm(0, SimFaults.Fault.IO_ERROR);

        assertThrows(TatamiException.class, () -> device.readFully(0, ByteBuffer.allocateDirect(SECTOR)));

        assertEquals(0, device.times().longestUnderWayNanos());
        assertEquals(null, device.times().typicalNanos().get(Measure.SMALL_READ));
    }

    @Test
    void anAccessThatDoesNotEndGrowsOld() {
        AccessTimes times = new AccessTimes(clock);
        times.begin(Measure.SMALL_READ, SECTOR);
        clock.advance(Duration.ofSeconds(7));
        AccessTimes.Running second = times.begin(Measure.SMALL_READ, SECTOR);
        clock.advance(Duration.ofSeconds(3));

        assertEquals(Duration.ofSeconds(10).toNanos(), times.longestUnderWayNanos());
        second.end(true);
        assertEquals(Duration.ofSeconds(10).toNanos(), times.longestUnderWayNanos());
    }

    @Test
    void anAccessHangsAfterSecondsAndAFlushAfterManyMore() throws InterruptedException {
        AccessTimes times = new AccessTimes(clock);
        assertTrue(times.awaitIdle(0));
        AccessTimes.Running flush = times.beginFlush();
        clock.advance(Duration.ofNanos(AccessTimes.FLUSH_HANG_NANOS - AccessTimes.HANG_NANOS));
        AccessTimes.Running write = times.begin(Measure.SMALL_WRITE, SECTOR);
        clock.advance(Duration.ofNanos(AccessTimes.HANG_NANOS - 1));
        assertFalse(times.isHanging());
        assertEquals(AccessTimes.FLUSH_HANG_NANOS - 1, times.longestUnderWayNanos());

        clock.advance(Duration.ofNanos(1));

        assertTrue(times.isHanging());
        write.end(true);
        assertTrue(times.isHanging());
        flush.end(true);
        assertFalse(times.isHanging());
        assertTrue(times.awaitIdle(0));
    }

    @Test
    void aDeviceIsAtWorkWhileAccessesEndAndNoneTakesMuchLongerThanOthers() {
        AccessTimes times = new AccessTimes(clock);
        AccessTimes.Running flush = times.beginFlush();
        clock.advance(Duration.ofNanos(AccessTimes.AT_WORK_NANOS));
        assertFalse(times.isAtWork());

        times.begin(Measure.LARGE_READ, UNIT).end(true);
        assertTrue(times.isAtWork());
        AccessTimes.Running stuck = times.begin(Measure.LARGE_READ, UNIT);
        clock.advance(Duration.ofNanos(AccessTimes.AT_WORK_NANOS));
        times.begin(Measure.LARGE_READ, UNIT).end(true);
        assertFalse(times.isAtWork());
        stuck.end(false);
        assertTrue(times.isAtWork());
        flush.end(true);
    }

    @Test
    void aSlowDeviceIsAtWorkAsLongAsItIsNotSlowerThanItMostlyIs() {
        AccessTimes times = new AccessTimes(clock);
        for (int i = 0; i < AccessTimes.SAMPLES_MIN; i++) {
            AccessTimes.Running access = times.begin(Measure.LARGE_READ, UNIT);
            clock.advance(Duration.ofSeconds(1));
            access.end(true);
        }
        AccessTimes.Running access = times.begin(Measure.LARGE_READ, UNIT);
        clock.advance(Duration.ofSeconds(AccessTimes.AT_WORK_FACTOR).minusNanos(1));
        assertTrue(times.isAtWork());
        clock.advance(Duration.ofNanos(1));
        assertFalse(times.isAtWork());
        access.end(true);
    }

    @Test
    void flushesAreUnderWayUntilTheyEndAndMeasureNothing() throws TatamiException, InterruptedException {
        for (int i = 0; i < AccessTimes.SAMPLES_MIN; i++) {
            device.flush();
        }
        faults.arm(0, SimFaults.Fault.IO_ERROR);
        assertThrows(TatamiException.class, device::flush);

        assertTrue(device.times().awaitIdle(0));
        assertEquals(Map.of(), device.times().typicalNanos());
    }

    private void access(int times, int bytes) throws TatamiException {
        for (int i = 0; i < times; i++) {
            device.readFully(0, ByteBuffer.allocateDirect(bytes));
            device.write(0, ByteBuffer.allocateDirect(bytes));
        }
    }
}
