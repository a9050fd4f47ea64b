package io.tatami.meta.service.lead;

import io.tatami.base.SessionId;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.wire.RepliesRecord;
import io.tatami.meta.state.wire.ReplyRecord;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The remembered replies of one session, in pages: a page's record holds the replies to {@link #NUMBERS_PER_PAGE}
 * numbers, as far as the client may still ask for them, so a client that waits for each reply has one small record,
 * which is written over again and again. Owned by the group's thread; the mark may be read by others.
 */
final class SessionReplies {
    private static final int NUMBERS_PER_PAGE = 64;

    private final NavigableMap<Long, ReplyRecord> replies = new TreeMap<>();

    /** Pages that have a record. */
    private final NavigableSet<Long> written = new TreeSet<>();

    private final NavigableSet<Long> changed = new TreeSet<>();
    private final String user;
    private volatile long mark;
    private long highest;
    private long bytes;
    private long lastHeardNanos;

    /** @param user whose session it is; empty where that is not known */
    SessionReplies(String user, long nowNanos) {
        this.user = user;
        lastHeardNanos = nowNanos;
    }

    /** A session that comes back after a silence; all numbers up to {@code floor} were seen, or may have been. */
    static SessionReplies reopened(String user, long floor, long nowNanos) {
        SessionReplies session = new SessionReplies(user, nowNanos);
        session.mark = floor;
        session.highest = floor;
        session.written.add(0L);
        return session;
    }

    String user() {
        return user;
    }

    static long pageOf(long number) {
        return number / NUMBERS_PER_PAGE;
    }

    /** Takes what is stored of a page. */
    void load(long page, RepliesRecord record) {
        written.add(page);
        for (ReplyRecord reply : record.getReplyList()) {
            put(reply);
            highest = Math.max(highest, reply.getNumber());
        }
        mark = Math.max(mark, record.getFloor());
        highest = Math.max(highest, mark);
    }

    /** Null where none is remembered (any more). */
    @Nullable
    ReplyRecord reply(long number) {
        return replies.get(number);
    }

    void add(ReplyRecord reply, int repliesMax, long bytesMax) {
        put(reply);
        changed.add(pageOf(reply.getNumber()));
        while (replies.size() > 1 && (replies.size() > repliesMax || bytes > bytesMax)) {
            forgetOldest();
        }
    }

    /** Forgets the oldest replies until the others have no more than {@code bytesMax}; whether there was any. */
    boolean trim(long bytesMax) {
        boolean isLess = bytes > bytesMax;
        while (bytes > bytesMax) {
            forgetOldest();
        }
        return isLess;
    }

    private void forgetOldest() {
        mark = Math.max(mark, replies.firstKey());
        forgetPassed();
        // Written without what was forgotten: the bound is for the store, too.
        changed.add(pageOf(mark));
    }

    private void put(ReplyRecord reply) {
        ReplyRecord before = replies.put(reply.getNumber(), reply);
        bytes += reply.getSerializedSize() - (before == null ? 0 : before.getSerializedSize());
    }

    private void forgetPassed() {
        NavigableMap<Long, ReplyRecord> passed = replies.headMap(mark, true);
        passed.values().forEach(reply -> bytes -= reply.getSerializedSize());
        passed.clear();
    }

    /** What the replies have, as they are stored. */
    long bytes() {
        return bytes;
    }

    /** The client has the replies up to this number, or they were too many. */
    long lowWaterMark() {
        return mark;
    }

    void heard(long number, long lowWaterMark, long nowNanos) {
        mark = Math.max(mark, lowWaterMark);
        highest = Math.max(highest, Math.max(number, mark));
        lastHeardNanos = nowNanos;
    }

    long lastHeardNanos() {
        return lastHeardNanos;
    }

    /** Forgets what the client has, and writes the pages that are another than before; there is one. */
    void writeTo(Draft batch, SessionId id) {
        forgetPassed();
        // Numbers that were decided now are above the mark of their own requests, so one page at least is left to say
        // it.
        NavigableSet<Long> passed = written.headSet(Math.min(pageOf(mark + 1), changed.last()), false);
        passed.forEach(page -> batch.delete(Keys.replies(id, page)));
        changed.removeAll(passed);
        passed.clear();
        for (long page : changed) {
            batch.put(
                    Keys.replies(id, page),
                    RepliesRecord.newBuilder()
                            .setFloor(mark)
                            .addAllReply(replies.subMap(page * NUMBERS_PER_PAGE, (page + 1) * NUMBERS_PER_PAGE)
                                    .values())
                            .build()
                            .toByteArray());
        }
        written.addAll(changed);
        changed.clear();
    }

    /** Leaves no more than a tombstone: page 0 with the highest number that was seen. */
    void closeIn(Draft batch, SessionId id, long nowMillis) {
        written.forEach(page -> batch.delete(Keys.replies(id, page)));
        batch.put(
                Keys.replies(id, 0),
                RepliesRecord.newBuilder()
                        .setFloor(highest)
                        .setClosedMillis(nowMillis)
                        .build()
                        .toByteArray());
    }
}
