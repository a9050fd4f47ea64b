package io.tatami.client.file;

import io.tatami.base.Clock;
import io.tatami.client.meta.LeaseThreads;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Looks after this client's open writers while no program uses them: their chains are sent an empty frame every ten
 * seconds, and one that has failed is mended. While files are open it has a turn every few seconds on the thread that
 * all clients of the process share; without one it costs nothing. Safe for use by many threads.
 */
final class OpenWriters {
    static final long TURN_MILLIS = 5_000;
    private static final long PAUSE_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(TURN_MILLIS);
    private static final long PAUSE_NANOS_MAX = TimeUnit.MINUTES.toNanos(5);

    private final LeaseThreads threads;
    private final Clock clock;
    private final Map<Member, Mending> members = new ConcurrentHashMap<>();

    /** Whether the next turn is due some time. */
    private final AtomicBoolean scheduled = new AtomicBoolean();

    /** An open writer. */
    interface Member {
        /** Does not wait. False where {@link #mend} has something to do. */
        boolean keepAlive();

        /** May block for as long as an operation may take. False where it failed, and may be tried again. */
        boolean mend();
    }

    /** The attempts to mend one writer. */
    private static final class Mending {
        private final AtomicBoolean underWay = new AtomicBoolean();
        private volatile long notBeforeNanos;
        private volatile long pauseNanos;
    }

    OpenWriters(LeaseThreads threads, Clock clock) {
        this.threads = threads;
        this.clock = clock;
    }

    void add(Member writer) {
        members.put(writer, new Mending());
        schedule();
    }

    void remove(Member writer) {
        members.remove(writer);
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            threads.later(this::takeTurn, TURN_MILLIS);
        }
    }

    private void takeTurn() {
        scheduled.set(false);
        if (!members.isEmpty()) {
            schedule();
            members.forEach(this::look);
        }
    }

    private void look(Member writer, Mending mending) {
        boolean mayMend = mending.pauseNanos == 0 || clock.monotonicNanos() - mending.notBeforeNanos >= 0;
        if (!mending.underWay.get() && !writer.keepAlive() && mayMend) {
            mending.underWay.set(true);
            threads.mend(() -> mend(writer, mending));
        }
    }

    private void mend(Member writer, Mending mending) {
        try {
            if (!members.containsKey(writer) || writer.mend()) {
                mending.pauseNanos = 0;
                return;
            }
            long pauseNanos = Math.min(PAUSE_NANOS_MAX, Math.max(PAUSE_NANOS_MIN, 2 * mending.pauseNanos));
            mending.notBeforeNanos = clock.monotonicNanos() + pauseNanos;
            mending.pauseNanos = pauseNanos;
        } finally {
            mending.underWay.set(false);
        }
    }
}
