package io.tatami.meta.service.host;

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
    private volatile long mark;
    private long lastHeardNanos;

    SessionReplies(long nowNanos) {
        lastHeardNanos = nowNanos;
    }

    static long pageOf(long number) {
        return number / NUMBERS_PER_PAGE;
    }

    /** Takes what is stored of a page. */
    void load(long page, RepliesRecord record) {
        written.add(page);
        record.getReplyList().forEach(reply -> replies.put(reply.getNumber(), reply));
        mark = Math.max(mark, record.getFloor());
    }

    /** Null where none is remembered (any more). */
    @Nullable
    ReplyRecord reply(long number) {
        return replies.get(number);
    }

    void add(ReplyRecord reply, int repliesMax) {
        replies.put(reply.getNumber(), reply);
        changed.add(pageOf(reply.getNumber()));
        if (replies.size() > repliesMax) {
            mark = Math.max(mark, replies.firstKey());
            replies.headMap(mark, true).clear();
            // Written without what was forgotten: the bound is for the store, too.
            changed.add(pageOf(mark));
        }
    }

    /** The client has the replies up to this number, or they were too many. */
    long lowWaterMark() {
        return mark;
    }

    void heard(long lowWaterMark, long nowNanos) {
        mark = Math.max(mark, lowWaterMark);
        lastHeardNanos = nowNanos;
    }

    long lastHeardNanos() {
        return lastHeardNanos;
    }

    /** Forgets what the client has, and writes the pages that are another than before; there is one. */
    void writeTo(Draft batch, SessionId id) {
        replies.headMap(mark, true).clear();
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

    /** Deletes every page's record. */
    void deleteFrom(Draft batch, SessionId id) {
        written.forEach(page -> batch.delete(Keys.replies(id, page)));
    }
}
