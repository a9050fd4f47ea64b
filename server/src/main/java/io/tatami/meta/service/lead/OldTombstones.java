package io.tatami.meta.service.lead;

import io.tatami.base.Clock;
import io.tatami.base.SessionId;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.RepliesRecord;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Forgets the tombstones of sessions that were closed {@link ReplyMemory#TOMBSTONE_MILLIS} ago: goes round over the
 * records of all sessions, a page in each interval in which there is a batch. Owned by the group's thread.
 */
final class OldTombstones {
    private static final int PAGE = 4_096;
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final byte[] FROM = Keys.kind('c');
    private static final byte[] TO = Keys.after(FROM);

    private final View stored;
    private final Clock clock;
    private byte[] next = FROM;
    private long lastNanos;

    OldTombstones(View stored, Clock clock) {
        this.stored = stored;
        this.clock = clock;
        this.lastNanos = clock.monotonicNanos();
    }

    /** @param live sessions in memory, whose records are not touched here */
    void forgetIn(Draft batch, long nowMillis, Predicate<SessionId> live) {
        long now = clock.monotonicNanos();
        if (now - lastNanos < INTERVAL_NANOS) {
            return;
        }
        lastNanos = now;
        try (View.Cursor cursor = stored.scan(next, TO)) {
            for (int seen = 0; seen < PAGE; seen++) {
                if (!cursor.next()) {
                    next = FROM;
                    return;
                }
                byte[] key = cursor.key();
                next = Arrays.copyOf(key, key.length + 1);
                boolean isClosed = Keys.secondIdOf(key) == 0 && !live.test(new SessionId(Keys.idOf(key)));
                if (isClosed && isOld(ReplyMemory.page(cursor.value()), nowMillis)) {
                    batch.delete(key);
                }
            }
        }
    }

    private static boolean isOld(RepliesRecord record, long nowMillis) {
        return ReplyMemory.isTombstone(record) && nowMillis - record.getClosedMillis() >= ReplyMemory.TOMBSTONE_MILLIS;
    }
}
