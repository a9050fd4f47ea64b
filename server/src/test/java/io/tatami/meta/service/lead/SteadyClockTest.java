package io.tatami.meta.service.lead;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.service.host.SteppingClock;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a server's time does when the system's clock steps. */
final class SteadyClockTest {
    private static final Duration YEAR = Duration.ofDays(365);

    private final SteppingClock system = new SteppingClock();

    private SteadyClock clock() throws TatamiException {
        return new SteadyClock(system, Settings.defaults());
    }

    @Test
    void timeThatPassesIsFollowed() throws TatamiException {
        SteadyClock clock = clock();
        for (int day = 0; day < 1_000; day++) {
            system.pass(Duration.ofDays(1));
            assertEquals(system.wallMillis(), clock.wallMillis());
        }
        assertEquals(0, clock.aheadSeconds());
    }

    @Test
    void jumpOfAYearIsNotFollowedAndReportedUntilTheClockIsSetRight() throws TatamiException {
        SteadyClock clock = clock();
        long before = clock.wallMillis();

        system.step(YEAR);
        assertEquals(before, clock.wallMillis());
        system.pass(Duration.ofHours(5));
        assertEquals(before + Duration.ofHours(5).toMillis(), clock.wallMillis());
        assertEquals(YEAR.toSeconds(), clock.aheadSeconds());

        system.step(YEAR.negated());
        assertEquals(system.wallMillis(), clock.wallMillis());
        assertEquals(0, clock.aheadSeconds());
        system.pass(Duration.ofHours(1));
        assertEquals(system.wallMillis(), clock.wallMillis());
    }

    @Test
    void jumpIsNoticedWhileNobodyAsksForTheTime() throws TatamiException {
        SteadyClock clock = clock();
        system.step(YEAR);
        clock.look().join();
        assertEquals(YEAR.toSeconds(), clock.aheadSeconds());
    }

    @Test
    void smallStepsAreFollowedUntilTheirSumIsTooLarge() throws TatamiException {
        SteadyClock clock = clock();
        long begin = clock.wallMillis();
        for (int i = 0; i < 6; i++) {
            system.step(Duration.ofSeconds(10));
            assertEquals(system.wallMillis(), clock.wallMillis());
        }
        for (int i = 0; i < 10_000; i++) {
            system.step(Duration.ofSeconds(10));
            assertEquals(begin + 60_000, clock.wallMillis());
        }
        assertEquals(100_000, clock.aheadSeconds());
    }

    @Test
    void driftOfLessThanAThousandthIsFollowedForGood() throws TatamiException {
        SteadyClock clock = clock();
        for (int hour = 0; hour < 10_000; hour++) {
            system.pass(Duration.ofHours(1));
            system.step(Duration.ofSeconds(3));
            assertEquals(system.wallMillis(), clock.wallMillis());
        }
    }

    @Test
    void clockThatGoesBackAndReturnsIsFollowed() throws TatamiException {
        SteadyClock clock = clock();
        system.step(YEAR.negated());
        assertEquals(system.wallMillis(), clock.wallMillis());
        system.pass(Duration.ofHours(2));
        system.step(YEAR);
        assertEquals(system.wallMillis(), clock.wallMillis());
        assertEquals(0, clock.aheadSeconds());
    }

    @Test
    void clockMayGoUpToTheTimesOfOtherMembersAndNoFurther() throws TatamiException {
        SteadyClock clock = clock();
        clock.admit(GroupId.NAMESPACE, clock.wallMillis());
        // As after a rest of the machine, which monotonic time does not count.
        system.step(Duration.ofHours(9));
        long ofOthers = system.wallMillis();
        assertTrue(clock.wallMillis() < ofOthers);

        clock.admit(GroupId.NAMESPACE, ofOthers);
        assertEquals(ofOthers, clock.wallMillis());
        assertEquals(0, clock.aheadSeconds());
        system.step(YEAR);
        assertEquals(ofOthers, clock.wallMillis());
    }

    @Test
    void logThatIsAheadDoesNotTakeTheClockWithIt() throws TatamiException {
        SteadyClock clock = clock();
        clock.admit(GroupId.NAMESPACE, clock.wallMillis() + YEAR.toMillis());
        assertEquals(system.wallMillis(), clock.wallMillis());
    }

    @Test
    void startFarAheadOfTheLogIsRefused() throws TatamiException {
        long logged = system.wallMillis();
        system.step(YEAR.multipliedBy(2));
        SteadyClock clock = clock();

        TatamiException refusal = assertThrows(TatamiException.class, () -> clock.admit(GroupId.NAMESPACE, logged));

        assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
        assertTrue(String.valueOf(refusal.getMessage()).contains("tatami.meta.clock.start.ahead.max"));
        assertTrue(clock.isRefused());
    }

    @Test
    void startAfterALongRestIsAllowedByTheSetting() throws TatamiException {
        long logged = system.wallMillis();
        system.step(YEAR.multipliedBy(2));
        SteadyClock clock = new SteadyClock(system, Settings.of(Map.of("tatami.meta.clock.start.ahead.max", "800d")));
        clock.admit(GroupId.NAMESPACE, logged);
        assertEquals(system.wallMillis(), clock.wallMillis());
        assertFalse(clock.isRefused());
    }

    @Test
    void groupWithoutChangesForYearsIsLedWhereTheClockIsKnownToBeRight() throws TatamiException {
        long logged = system.wallMillis();
        SteadyClock idle = clock();
        system.pass(YEAR.multipliedBy(3));
        idle.admit(GroupId.ofShard(1), logged);

        SteadyClock started = clock();
        started.admit(GroupId.NAMESPACE, system.wallMillis());
        started.admit(GroupId.ofShard(0), 0);
        started.admit(GroupId.ofShard(1), logged);
        assertFalse(started.isRefused());
    }
}
