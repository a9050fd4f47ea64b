package io.tatami.meta.service.copies;

import io.tatami.base.Clock;
import io.tatami.meta.state.Needs.Urgency;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where the leader is in each class of blocks that wait. A class is walked over from its first block to its last, and
 * again after a pause, which grows while there is nothing new: blocks that wait for a server need no look each second.
 * Owned by the runs of one background task.
 */
final class NeedSweeps {
    static final Duration PAUSE_MIN = Duration.ofSeconds(1);
    static final Duration PAUSE_MAX = Duration.ofMinutes(1);

    /** Blocks come to this class that nobody has looked at. */
    static final Duration UNJUDGED_PAUSE_MAX = Duration.ofSeconds(4);

    /** What nothing helps is looked at when servers have changed. */
    static final Duration UNSCHEDULABLE_PAUSE_MAX = Duration.ofMinutes(10);

    private static final int PAUSES_PER_SWEEP = 20;

    private final Clock clock;
    private final Map<Urgency, Sweep> sweeps = new EnumMap<>(Urgency.class);
    private Object servers = new Object();

    NeedSweeps(Clock clock) {
        this.clock = clock;
        for (Urgency urgency : Urgency.values()) {
            sweeps.put(urgency, new Sweep(clock.monotonicNanos()));
        }
    }

    /** Of one class. */
    private static final class Sweep {
        private long cursor;
        private long found;
        private long begunNanos;
        private boolean hasWaited;
        private boolean isEmpty;

        /** Servers changed while it was under way: what it had passed before is to be looked at again. */
        private boolean isOutdated;

        private Duration pause = PAUSE_MIN;
        private long dueNanos;

        Sweep(long dueNanos) {
            this.dueNanos = dueNanos;
        }
    }

    /** Whether there are other servers than before, or they stand otherwise: then all that waits is looked at. */
    void servers(Object standings, String brake) {
        Object now = Map.entry(standings, brake);
        if (!now.equals(servers)) {
            servers = now;
            for (Sweep sweep : sweeps.values()) {
                sweep.pause = PAUSE_MIN;
                sweep.dueNanos = clock.monotonicNanos();
                sweep.isOutdated = sweep.found > 0;
            }
        }
    }

    /** The most urgent class that is due; null for none. */
    @Nullable
    Urgency nextDue() {
        for (Map.Entry<Urgency, Sweep> entry : sweeps.entrySet()) {
            if (clock.monotonicNanos() - entry.getValue().dueNanos >= 0) {
                return entry.getKey();
            }
        }
        return null;
    }

    long cursor(Urgency urgency) {
        return of(urgency).cursor;
    }

    /**
     * A page is done.
     *
     * @param upTo the last block that was looked at; 0 for none
     * @param isFull the next one has to wait
     * @param isLast there is nothing behind the page
     * @param found blocks of the page
     */
    void advance(Urgency urgency, long upTo, boolean isFull, boolean isLast, int found) {
        Sweep sweep = of(urgency);
        if (sweep.found == 0) {
            sweep.begunNanos = clock.monotonicNanos();
            sweep.hasWaited = false;
        }
        sweep.found += found;
        sweep.cursor = Math.max(sweep.cursor, upTo);
        if (isFull) {
            sweep.hasWaited = true;
            sweep.dueNanos = clock.monotonicNanos() + PAUSE_MIN.toNanos();
        } else if (isLast) {
            sweep.isEmpty = sweep.found == 0;
            Duration longer = sweep.pause.multipliedBy(2);
            Duration most = pauseMax(urgency);
            sweep.pause = longer.compareTo(most) < 0 ? longer : most;
            if (urgency == Urgency.UNSCHEDULABLE) {
                sweep.pause = UNSCHEDULABLE_PAUSE_MAX;
            } else if (sweep.isEmpty) {
                sweep.pause = PAUSE_MIN;
            }
            long restNanos = sweep.isOutdated ? PAUSE_MIN.toNanos() : Math.max(sweep.pause.toNanos(), share(sweep));
            sweep.dueNanos = clock.monotonicNanos() + restNanos;
            sweep.isOutdated = false;
            sweep.cursor = 0;
            sweep.found = 0;
        }
    }

    private static Duration pauseMax(Urgency urgency) {
        return urgency == Urgency.UNJUDGED ? UNJUDGED_PAUSE_MAX : PAUSE_MAX;
    }

    /** A sweep over many blocks that wait for nothing new takes a small share of the time. */
    private long share(Sweep sweep) {
        return sweep.hasWaited ? 0 : PAUSES_PER_SWEEP * (clock.monotonicNanos() - sweep.begunNanos);
    }

    /** Whether the last sweep of each class has found no block. */
    boolean foundNothing() {
        return sweeps.values().stream().allMatch(sweep -> sweep.isEmpty);
    }

    private Sweep of(Urgency urgency) {
        Sweep sweep = sweeps.get(urgency);
        if (sweep == null) {
            throw new IllegalStateException("no sweep of " + urgency);
        }
        return sweep;
    }
}
