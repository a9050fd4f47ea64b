package io.tatami.block.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.block.device.AccessTimes.Measure;
import io.tatami.block.device.SlowDevices.Observation;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SlowDevicesTest {
    private static final Observation IDLE = new Observation(Map.of(), 0);

    private final SlowDevices devices = new SlowDevices();

    @Test
    void aDeviceTenTimesSlowerThanItsPeersIsReportedAndTheyAreNot() {
        List<Observation> now = List.of(reads(10), reads(100), reads(12));
        assertEquals(List.of("", "", ""), devices.look(now, Map.of()));
        assertEquals(List.of("", "", ""), devices.look(now, Map.of()));

        List<String> told = devices.look(now, Map.of());

        assertEquals(
                List.of("", "reads of 4 MiB take 10.0 times as long as those of its peers (100.0 ms, 10.0 ms)", ""),
                told);
        assertEquals(told, devices.look(now, Map.of()));
    }

    @Test
    void ofTwoDevicesOnlyTheSlowOneIsReported() {
        List<String> told = look(3, List.of(reads(200), reads(20)));

        assertTrue(told.get(0).startsWith("reads of 4 MiB take 10.0 times"), told.toString());
        assertEquals("", told.get(1));
    }

    @Test
    void aSingleDeviceIsComparedWithWhatIsTypicalElsewhere() {
        Map<Measure, Long> typical = Map.of(Measure.LARGE_READ, millis(9), Measure.SMALL_WRITE, millis(1));
        for (int looks = 1; looks < SlowDevices.LOOKS; looks++) {
            assertEquals(List.of(""), devices.look(List.of(reads(90)), typical));
        }

        assertEquals(
                List.of("reads of 4 MiB take 10.0 times as long as those of its peers (90.0 ms, 9.0 ms)"),
                devices.look(List.of(reads(90)), typical));
    }

    @Test
    void devicesThatAreAllSlowAreReportedWhereOthersElsewhereAreNot() {
        Map<Measure, Long> typical = Map.of(Measure.LARGE_READ, millis(9));
        List<String> told = List.of();
        for (int looks = 0; looks < SlowDevices.LOOKS; looks++) {
            told = devices.look(List.of(reads(90), reads(100)), typical);
        }

        assertTrue(told.stream().noneMatch(String::isEmpty), told.toString());
    }

    @Test
    void whatIsSlowForAMomentIsNotReported() {
        List<Observation> slow = List.of(reads(10), reads(100));
        List<Observation> well = List.of(reads(10), reads(10));
        for (int round = 0; round < 10; round++) {
            assertEquals(List.of("", ""), devices.look(slow, Map.of()));
            assertEquals(List.of("", ""), devices.look(slow, Map.of()));
            assertEquals(List.of("", ""), devices.look(well, Map.of()));
        }
    }

    @Test
    void whatIsSlowStaysSoUntilItHasBeenMuchFasterForAWhile() {
        look(3, List.of(reads(10), reads(100)));
        for (long millis : new long[] {70, 50, 41, 75, 45, 39, 39, 79, 39, 39, 60}) {
            String told =
                    devices.look(List.of(reads(10), reads(millis)), Map.of()).get(1);
            assertTrue(told.contains("times as long"), millis + " ms");
        }

        assertEquals(List.of("", ""), look(3, List.of(reads(10), reads(39))));
        assertEquals(List.of("", ""), look(2, List.of(reads(10), reads(100))));
    }

    @Test
    void whatCannotBeComparedChangesNothing() {
        Observation writes = new Observation(Map.of(Measure.LARGE_WRITE, TimeUnit.SECONDS.toNanos(1)), 0);
        assertEquals(List.of("", ""), look(5, List.of(reads(10), writes)));
        assertEquals(List.of("", ""), look(5, List.of(reads(10), IDLE)));
        look(3, List.of(reads(10), reads(100)));
        assertTrue(!look(5, List.of(reads(10), IDLE)).get(1).isEmpty());
        assertEquals(List.of(""), new SlowDevices().look(List.of(reads(10_000)), Map.of()));
    }

    @Test
    void whatTakesLessThanAMillisecondIsNotSlow() {
        Observation cached = new Observation(Map.of(Measure.SMALL_READ, 20_000L), 0);
        Observation ordinary = new Observation(Map.of(Measure.SMALL_READ, 900_000L), 0);

        assertEquals(List.of("", ""), look(5, List.of(cached, ordinary)));
    }

    @Test
    void writesAreComparedApartFromReads() {
        List<Observation> now = new ArrayList<>();
        for (long write : new long[] {5, 6, 55}) {
            now.add(new Observation(Map.of(Measure.SMALL_READ, millis(10), Measure.SMALL_WRITE, millis(write)), 0));
        }

        List<String> told = look(3, now);

        assertTrue(told.get(2).startsWith("small writes take 11.0 times"), told.toString());
    }

    @Test
    void aDeviceThatHangsIsReportedAtOnceEvenIfItHasNoPeers() {
        long nanos = SlowDevices.HANG_NANOS;
        assertEquals(List.of(""), devices.look(List.of(new Observation(Map.of(), nanos - 1)), Map.of()));

        assertEquals(
                List.of("it hangs: an access or flush has been under way for 30 s"),
                devices.look(List.of(new Observation(Map.of(), nanos)), Map.of()));

        assertEquals(List.of(""), devices.look(List.of(IDLE), Map.of()));
    }

    private List<String> look(int times, List<Observation> now) {
        List<String> told = List.of();
        for (int i = 0; i < times; i++) {
            told = devices.look(now, Map.of());
        }
        return told;
    }

    private static Observation reads(long millis) {
        return new Observation(Map.of(Measure.LARGE_READ, millis(millis)), 0);
    }

    private static long millis(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(millis);
    }
}
