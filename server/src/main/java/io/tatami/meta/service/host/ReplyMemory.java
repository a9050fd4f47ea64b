package io.tatami.meta.service.host;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.Records;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.RepliesRecord;
import io.tatami.meta.state.wire.ReplyRecord;
import io.tatami.protocol.Method;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Remembered replies, by which a request that comes again is answered again instead of done again. A client says up to
 * which number it has all replies; those are forgotten, and what comes below that later is refused, never executed.
 *
 * <p>The records are replicated state: a session's replies in pages under {@code c · session · page}, each with the
 * session's floor, up to which the client had them. A session that was silent for {@link #SILENCE_NANOS} is closed: its
 * replies go, and page 0 stays with the highest floor there is. Of such tombstones {@link #TOMBSTONES_MAX} are kept;
 * when the oldest go, sessions up to theirs that are not known here are refused too.
 *
 * <p>This object keeps what the records hold for the group's thread that owns it, and writes them once a batch; it is
 * built anew when the group opens.
 */
final class ReplyMemory {
    static final long SILENCE_NANOS = TimeUnit.HOURS.toNanos(1);

    /** Replies of one session that are kept even where its client never raises its mark. */
    static final int REPLIES_PER_SESSION_MAX = 4_096;

    static final int TOMBSTONES_MAX = 65_536;
    private static final long CLOSED = Long.MAX_VALUE;
    private static final byte[] SESSION_FLOOR = Keys.singleton("sessions.floor");

    private final Clock clock;

    /** In the order in which they were last heard of. */
    private final LinkedHashMap<SessionId, SessionReplies> sessions = new LinkedHashMap<>(16, 0.75f, true);

    /** The same sessions, for other threads, which look at their marks only. */
    private final ConcurrentMap<SessionId, SessionReplies> shared = new ConcurrentHashMap<>();

    /** Those with replies that are not in the store's records yet. */
    private final Map<SessionId, SessionReplies> changed = new LinkedHashMap<>();

    private final TreeSet<Long> tombstones = new TreeSet<>();
    private long sessionFloor;

    ReplyMemory(View view, Clock clock) {
        this.clock = clock;
        this.sessionFloor = number(view.get(SESSION_FLOOR));
        try (View.Cursor cursor = view.scan(Keys.kind('c'), Keys.after(Keys.kind('c')))) {
            while (cursor.next()) {
                load(new SessionId(Keys.idOf(cursor.key())), Keys.secondIdOf(cursor.key()), page(cursor.value()));
            }
        }
    }

    private void load(SessionId session, long page, RepliesRecord record) {
        if (record.getFloor() == CLOSED) {
            tombstones.add(session.value());
        } else {
            SessionReplies known = sessions.get(session);
            (known == null ? begin(session) : known).load(page, record);
        }
    }

    /** Only what would be the same on another try is remembered. */
    static boolean isRemembered(TatamiException refusal) {
        return !refusal.code().isRetryable();
    }

    /**
     * The remembered reply; null where the request is new. On the group's thread.
     *
     * @throws TatamiException the remembered refusal; REPLY_EVICTED where the reply was forgotten; NO_SUCH_SESSION
     *     where the session was
     */
    <R extends Message> @Nullable R recall(RequestOrigin origin, Method<?, R> method) throws TatamiException {
        SessionReplies session = session(origin.session());
        boolean isNew = origin.number() > session.lowWaterMark();
        session.heard(origin.lowWaterMark(), clock.monotonicNanos());
        ReplyRecord known = session.reply(origin.number());
        if (known == null && !isNew) {
            throw evicted(origin);
        }
        return known == null ? null : reply(known, method);
    }

    /**
     * {@link #recall} from a snapshot of the store, on any thread. Floors in the snapshot are never above the session's
     * mark, so what is above that has its reply in one page if it has one. Only for a request that comes late every
     * page is looked at: such scans walk over all that was deleted of a session and is not compacted yet.
     *
     * @param snapshot taken before this call
     */
    <R extends Message> @Nullable R recallStored(View snapshot, RequestOrigin origin, Method<?, R> method)
            throws TatamiException {
        SessionReplies session = shared.get(origin.session());
        if (session == null || origin.number() <= session.lowWaterMark()) {
            return recallLate(snapshot, origin, method);
        }
        byte[] page = snapshot.get(Keys.replies(origin.session(), SessionReplies.pageOf(origin.number())));
        ReplyRecord reply = page == null ? null : replyIn(page(page), origin);
        return reply == null ? null : reply(reply, method);
    }

    private static <R extends Message> @Nullable R recallLate(View snapshot, RequestOrigin origin, Method<?, R> method)
            throws TatamiException {
        long floor = 0;
        byte[] from = Keys.replies(origin.session());
        try (View.Cursor cursor = snapshot.scan(from, Keys.after(from))) {
            while (cursor.next()) {
                RepliesRecord page = page(cursor.value());
                floor = Math.max(floor, page.getFloor());
                ReplyRecord reply = replyIn(page, origin);
                if (reply != null) {
                    return reply(reply, method);
                }
            }
        }
        if (origin.number() <= floor) {
            throw evicted(origin);
        }
        return null;
    }

    private static @Nullable ReplyRecord replyIn(RepliesRecord page, RequestOrigin origin) {
        for (ReplyRecord reply : page.getReplyList()) {
            if (reply.getNumber() == origin.number()) {
                return reply;
            }
        }
        return null;
    }

    private static TatamiException evicted(RequestOrigin origin) {
        return new TatamiException(
                ErrorCode.REPLY_EVICTED,
                "request " + origin.number() + " of session " + origin.session()
                        + " comes after its reply was acknowledged; it is not done again");
    }

    private static RepliesRecord page(byte[] value) {
        return Records.parse(value, RepliesRecord.parser());
    }

    private static <R extends Message> R reply(ReplyRecord record, Method<?, R> method) throws TatamiException {
        if (record.getMethod() != method.number()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, "the request's number was used before for another method");
        }
        if (record.getError() != 0) {
            throw new TatamiException(
                    ErrorCode.ofNumber(record.getError()), record.getMessage(), record.getDetail(), null);
        }
        try {
            return method.replyParser().parseFrom(record.getBody());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a remembered reply does not parse", e);
        }
    }

    void remember(RequestOrigin origin, Method<?, ?> method, Message reply) {
        remember(
                origin,
                ReplyRecord.newBuilder()
                        .setNumber(origin.number())
                        .setMethod(method.number())
                        .setBody(reply.toByteString())
                        .build());
    }

    void remember(RequestOrigin origin, Method<?, ?> method, TatamiException refusal) {
        remember(
                origin,
                ReplyRecord.newBuilder()
                        .setNumber(origin.number())
                        .setMethod(method.number())
                        .setError(refusal.code().number())
                        .setMessage(String.valueOf(refusal.getMessage()))
                        .setDetail(refusal.detail())
                        .build());
    }

    private void remember(RequestOrigin origin, ReplyRecord record) {
        SessionReplies session = sessions.get(origin.session());
        if (session == null) {
            throw new IllegalStateException("session " + origin.session() + " was never recalled");
        }
        session.add(record, REPLIES_PER_SESSION_MAX);
        changed.put(origin.session(), session);
    }

    /** Puts what was remembered since the last batch into this one, and closes a session that was silent for long. */
    void writeTo(Draft batch) {
        changed.forEach((id, session) -> session.writeTo(batch, id));
        changed.clear();
        expire(batch);
    }

    /** Closes the session that was silent longest, if that was long enough: one with each batch. */
    private void expire(Draft batch) {
        Iterator<Map.Entry<SessionId, SessionReplies>> oldest =
                sessions.entrySet().iterator();
        if (!oldest.hasNext()) {
            return;
        }
        Map.Entry<SessionId, SessionReplies> entry = oldest.next();
        if (clock.monotonicNanos() - entry.getValue().lastHeardNanos() >= SILENCE_NANOS) {
            entry.getValue().deleteFrom(batch, entry.getKey());
            batch.put(
                    Keys.replies(entry.getKey(), 0),
                    RepliesRecord.newBuilder().setFloor(CLOSED).build().toByteArray());
            tombstones.add(entry.getKey().value());
            shared.remove(entry.getKey());
            oldest.remove();
            limitTombstones(batch);
        }
    }

    private SessionReplies session(SessionId id) throws TatamiException {
        SessionReplies known = sessions.get(id);
        if (known != null) {
            return known;
        }
        if (id.value() < sessionFloor || tombstones.contains(id.value())) {
            throw new TatamiException(ErrorCode.NO_SUCH_SESSION, "session " + id + " was closed after a long silence");
        }
        return begin(id);
    }

    private SessionReplies begin(SessionId id) {
        SessionReplies fresh = new SessionReplies(clock.monotonicNanos());
        sessions.put(id, fresh);
        shared.put(id, fresh);
        return fresh;
    }

    private void limitTombstones(Draft batch) {
        while (tombstones.size() > TOMBSTONES_MAX) {
            long oldest = tombstones.first();
            tombstones.remove(oldest);
            batch.delete(Keys.replies(new SessionId(oldest), 0));
            sessionFloor = oldest + 1;
            batch.put(SESSION_FLOOR, bytes(sessionFloor));
        }
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static long number(byte @Nullable [] value) {
        return value == null ? 0 : ByteBuffer.wrap(value).getLong();
    }
}
