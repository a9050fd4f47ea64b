package io.tatami.client.file;

import io.tatami.base.Clock;
import io.tatami.client.meta.LeaseThreads;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks after this client's open writers while no program uses them: their chains are sent an empty frame every ten
 * seconds, and one that has failed is mended. While files are open it has a turn every few seconds on the thread that
 * all clients of the process share; without one it costs nothing. Safe for use by many threads.
 */
final class OpenWriters {
    private static final Logger LOG = LoggerFactory.getLogger(OpenWriters.class);

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

    /** A writer that cannot be looked at keeps no other from it. */
    private void look(Member writer, Mending mending) {
        boolean mayMend = mending.pauseNanos == 0 || clock.monotonicNanos() - mending.notBeforeNanos >= 0;
        try {
            if (!mending.underWay.get() && !writer.keepAlive() && mayMend) {
                begin(writer, mending);
            }
        } catch (RuntimeException | Error e) {
            LOG.error("a writer that rests cannot be looked at", e);
        }
    }

    private void begin(Member writer, Mending mending) {
        mending.underWay.set(true);
        try {
            threads.mend(() -> mend(writer, mending));
        } catch (RuntimeException | Error e) {
            mending.underWay.set(false);
            throw e;
        }
    }

    /** An attempt that throws has failed. */
    private void mend(Member writer, Mending mending) {
        boolean isMended = false;
        try {
            isMended = !members.containsKey(writer) || writer.mend();
        } catch (RuntimeException | Error e) {
            LOG.error("a writer that rests cannot be mended", e);
        } finally {
            ended(mending, isMended);
        }
    }

    private void ended(Mending mending, boolean isMended) {
        long pauseNanos = isMended ? 0 : Math.min(PAUSE_NANOS_MAX, Math.max(PAUSE_NANOS_MIN, 2 * mending.pauseNanos));
        mending.notBeforeNanos = clock.monotonicNanos() + pauseNanos;
        mending.pauseNanos = pauseNanos;
        mending.underWay.set(false);
    }
}
