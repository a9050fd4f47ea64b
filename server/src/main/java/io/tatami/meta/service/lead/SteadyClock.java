package io.tatami.meta.service.lead;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Setting;
import io.tatami.conf.Settings;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clock of a metadata server: the system's, whose wall clock is not followed where it jumps ahead. The times of a
 * group never fall, so one entry of its log with a time that is years ahead would be the group's time for those years.
 *
 * <p>The difference between wall clock and monotonic time changes by steps of the wall clock only: NTP slews both. The
 * largest difference that was followed is the ceiling. Steps up to it are followed, as are those back; beyond it the
 * clock goes on by monotonic time. The ceiling rises by {@link #STEP_MAX} in all, and by a thousandth of the time that
 * passes. Another member's log times raise it too. Safe for use by many threads; a look costs no lock while nothing is
 * wrong.
 */
public final class SteadyClock implements Clock {
    /** How far the wall clock may step ahead. */
    public static final Setting<Duration> STEP_MAX = Setting.duration(
            "tatami.meta.clock.step.max",
            "60s",
            "1s",
            "36500d",
            "How far a metadata server follows a wall clock that steps ahead while the server runs; beyond that its time goes"
                    + " on by monotonic time until the clock is put right or the server is started again.");

    /** How far the wall clock may be ahead of the last time in a log when the server starts. */
    public static final Setting<Duration> START_AHEAD_MAX = Setting.duration(
            "tatami.meta.clock.start.ahead.max",
            "400d",
            "1h",
            "36500d",
            "How far the wall clock may be ahead of the last batch of the groups when a metadata server starts; a server whose"
                    + " clock is further ahead leads nothing. Raised for one start after a longer rest.");

    /** So much time passes while the ceiling rises by one unit. */
    private static final long TIME_PER_RISE = 1_000;

    private static final Duration REST = Duration.ofSeconds(1);
    private static final long REMINDER_MILLIS = TimeUnit.MINUTES.toMillis(10);
    private static final Logger LOG = LoggerFactory.getLogger(SteadyClock.class);

    private final Clock system;
    private final long stepMaxMillis;
    private final long startAheadMaxMillis;
    private final long startMillis;

    /** The largest difference of wall clock and monotonic time that was followed, in milliseconds. */
    private volatile long ceilingMillis;

    /** The difference at the last step that was told of. */
    private volatile long levelMillis;

    /** How far the system's wall clock is ahead of this one; 0 while it is followed. */
    private volatile long aheadMillis;

    private volatile boolean refused;

    // Guarded by this.
    private long budgetMillis;
    private long budgetAtMillis;
    private long remindedAtMillis;
    private boolean admitted;

    public SteadyClock(Clock system, Settings settings) throws TatamiException {
        this.system = system;
        this.stepMaxMillis = settings.get(STEP_MAX).toMillis();
        this.startAheadMaxMillis = settings.get(START_AHEAD_MAX).toMillis();
        this.startMillis = system.wallMillis();
        this.budgetAtMillis = passedMillis();
        this.budgetMillis = stepMaxMillis;
        this.ceilingMillis = startMillis - budgetAtMillis;
        this.levelMillis = ceilingMillis;
    }

    @Override
    public long monotonicNanos() {
        return system.monotonicNanos();
    }

    private long passedMillis() {
        return TimeUnit.NANOSECONDS.toMillis(system.monotonicNanos());
    }

    @Override
    public long wallMillis() {
        // In this order: a pause of the thread between the two makes the wall clock look late, never early.
        long wall = system.wallMillis();
        long passed = passedMillis();
        long difference = wall - passed;
        if (aheadMillis == 0 && difference <= ceilingMillis && levelMillis - difference <= stepMaxMillis) {
            return wall;
        }
        return judge(difference, passed);
    }

    /** Follows a step, or does not; the time as of {@code passed}. */
    private synchronized long judge(long difference, long passed) {
        long ceiling = ceilingMillis;
        if (difference > ceiling) {
            if (!isAllowed(difference - ceiling, passed)) {
                refuse(difference - ceiling, passed, ceiling);
                return passed + ceiling;
            }
            ceilingMillis = difference;
        }
        if (aheadMillis != 0) {
            LOG.warn("the system's clock is followed again: it is no more than this server allows ahead of its time");
            aheadMillis = 0;
        }
        long backMillis = levelMillis - difference;
        if (backMillis > stepMaxMillis) {
            LOG.warn(
                    "the system's clock went back by {} s; the times of groups stand still until it has made that up",
                    TimeUnit.MILLISECONDS.toSeconds(backMillis));
        }
        if (Math.abs(backMillis) > stepMaxMillis) {
            levelMillis = difference;
        }
        return passed + difference;
    }

    /** Whether a step ahead is within what is left, from which it is taken then. */
    private boolean isAllowed(long stepMillis, long passed) {
        long risen = Math.max(0, passed - budgetAtMillis) / TIME_PER_RISE;
        budgetMillis = Math.min(stepMaxMillis, budgetMillis + risen);
        budgetAtMillis += risen * TIME_PER_RISE;
        if (stepMillis > budgetMillis) {
            return false;
        }
        budgetMillis -= stepMillis;
        return true;
    }

    private void refuse(long stepMillis, long passed, long ceiling) {
        if (aheadMillis == 0 || passed - remindedAtMillis >= REMINDER_MILLIS) {
            remindedAtMillis = passed;
            LOG.error(
                    "the system's clock is {} s ahead of the time that has passed, at {}; it is not followed, and this"
                            + " server's time is {}: set the clock right, or confirm it by starting the server again",
                    TimeUnit.MILLISECONDS.toSeconds(stepMillis),
                    Instant.ofEpochMilli(passed + ceiling + stepMillis),
                    Instant.ofEpochMilli(passed + ceiling));
        }
        aheadMillis = stepMillis;
    }

    /** How far the system's clock is ahead and not followed, in seconds rounded up; 0 while it is followed. */
    public long aheadSeconds() {
        return (aheadMillis + 999) / 1_000;
    }

    /** A {@link io.tatami.meta.service.BackgroundTask}: notices a step while nobody asks for the time. */
    public CompletableFuture<Duration> look() {
        long unused = wallMillis();
        return CompletableFuture.completedFuture(REST);
    }

    /**
     * Compares the clock with a group's log, before the group is led. Times there that are ahead of this clock are of
     * other members, or of this server before its clock went back: the system's clock may go up to them.
     *
     * @param logMillis of the last batch; 0 where there was none, which says nothing
     * @throws TatamiException INVALID_ARGUMENT where the clock at the start of the server was too far ahead, unless
     *     another group's log has shown otherwise
     */
    public synchronized void admit(GroupId group, long logMillis) throws TatamiException {
        if (logMillis == 0) {
            return;
        }
        if (!admitted && startMillis - logMillis > startAheadMaxMillis) {
            refused = true;
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "the system's clock says " + Instant.ofEpochMilli(startMillis) + ", but the last batch of " + group
                            + " is of " + Instant.ofEpochMilli(logMillis)
                            + ": correct the clock; if it is correct, start" + " the server once with a larger "
                            + START_AHEAD_MAX.key());
        }
        admitted = true;
        long now = wallMillis();
        if (logMillis - now > stepMaxMillis) {
            LOG.warn(
                    "the last batch of {} is of {}, and this server's time is {}: the group's time stands still until"
                            + " then; set the clock right if it is late",
                    group,
                    Instant.ofEpochMilli(logMillis),
                    Instant.ofEpochMilli(now));
        }
        ceilingMillis = Math.max(ceilingMillis, logMillis - passedMillis());
    }

    /** Whether the clock at the start was too far ahead for this server to lead anything. */
    public boolean isRefused() {
        return refused;
    }
}
