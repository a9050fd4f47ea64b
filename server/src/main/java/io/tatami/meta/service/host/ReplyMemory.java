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
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.ReplyRecord;
import io.tatami.protocol.Method;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Remembered replies, by which a request that comes again is answered again instead of done again. A client says up to
 * which number it has all replies; those are forgotten a handful at a time, and what comes below them later is refused,
 * never executed.
 *
 * <p>The records are replicated state: a reply under {@code c · session · number}, and under number 0 the session's floor,
 * the highest number that was forgotten. A session that was silent for {@link #SILENCE_NANOS} is closed: its replies go and
 * its floor stays, at the highest number there is. Of such tombstones {@link #TOMBSTONES_MAX} are kept; when the oldest
 * go, sessions up to theirs that are not known here are refused too.
 *
 * <p>This object keeps, for the group's thread that owns it, which numbers there are, so that a new request costs no look
 * into the store; it is built anew when the group opens.
 */
final class ReplyMemory {
    static final long SILENCE_NANOS = TimeUnit.HOURS.toNanos(1);

    /** Replies of one session that are kept even where its client never raises its mark. */
    static final int REPLIES_PER_SESSION_MAX = 4_096;

    static final int TOMBSTONES_MAX = 65_536;
    private static final int FORGET_AT_ONCE_MIN = 16;
    private static final int FORGET_AT_ONCE_MAX = 256;
    private static final long CLOSED = Long.MAX_VALUE;
    private static final byte[] SESSION_FLOOR = Keys.singleton("sessions.floor");

    private final Clock clock;

    /** In the order in which they were last heard of. */
    private final LinkedHashMap<SessionId, SessionReplies> sessions = new LinkedHashMap<>(16, 0.75f, true);

    private final TreeSet<Long> tombstones = new TreeSet<>();
    private long sessionFloor;

    ReplyMemory(View view, Clock clock) {
        this.clock = clock;
        this.sessionFloor = number(view.get(SESSION_FLOOR));
        try (View.Cursor cursor = view.scan(Keys.kind('c'), Keys.after(Keys.kind('c')))) {
            while (cursor.next()) {
                load(new SessionId(Keys.idOf(cursor.key())), Keys.secondIdOf(cursor.key()), cursor.value());
            }
        }
    }

    private void load(SessionId session, long number, byte[] value) {
        if (number == 0 && number(value) == CLOSED) {
            tombstones.add(session.value());
            return;
        }
        SessionReplies replies = sessions.computeIfAbsent(session, id -> new SessionReplies(clock.monotonicNanos()));
        if (number == 0) {
            replies.setFloor(number(value));
        } else {
            replies.numbers().add(number);
        }
    }

    /** Only what would be the same on another try is remembered. */
    static boolean isRemembered(TatamiException refusal) {
        return !refusal.code().isRetryable();
    }

    /**
     * The remembered reply; null where the request is new. On the group's thread.
     *
     * @throws TatamiException the remembered refusal; REPLY_EVICTED where the reply was forgotten; NO_SUCH_SESSION where
     *     the session was
     */
    <R extends Message> @Nullable R recall(View view, RequestOrigin origin, Method<?, R> method)
            throws TatamiException {
        SessionReplies session = session(origin.session());
        boolean isNew =
                origin.number() > session.lowWaterMark() && !session.numbers().contains(origin.number());
        session.heard(origin.lowWaterMark(), clock.monotonicNanos());
        return isNew ? null : recallStored(view, origin, method);
    }

    /** {@link #recall} from the store alone, on any thread. */
    static <R extends Message> @Nullable R recallStored(View view, RequestOrigin origin, Method<?, R> method)
            throws TatamiException {
        byte[] value = view.get(Keys.reply(origin.session(), origin.number()));
        if (value != null) {
            return reply(value, method);
        }
        if (origin.number() <= number(view.get(floorKey(origin.session())))) {
            throw new TatamiException(
                    ErrorCode.REPLY_EVICTED,
                    "request " + origin.number() + " of session " + origin.session()
                            + " comes after its reply was acknowledged; it is not done again");
        }
        return null;
    }

    private static <R extends Message> R reply(byte[] value, Method<?, R> method) throws TatamiException {
        try {
            ReplyRecord record = ReplyRecord.parseFrom(value);
            if (record.getMethod() != method.number()) {
                throw new TatamiException(
                        ErrorCode.INVALID_ARGUMENT, "the request's number was used before for another method");
            }
            if (record.getError() != 0) {
                throw new TatamiException(
                        ErrorCode.ofNumber(record.getError()), record.getMessage(), record.getDetail(), null);
            }
            return method.replyParser().parseFrom(record.getBody());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a remembered reply does not parse", e);
        }
    }

    void remember(Draft draft, RequestOrigin origin, Method<?, ?> method, Message reply) {
        remember(
                draft,
                origin,
                ReplyRecord.newBuilder()
                        .setMethod(method.number())
                        .setBody(reply.toByteString())
                        .build());
    }

    void remember(Draft draft, RequestOrigin origin, Method<?, ?> method, TatamiException refusal) {
        remember(
                draft,
                origin,
                ReplyRecord.newBuilder()
                        .setMethod(method.number())
                        .setError(refusal.code().number())
                        .setMessage(String.valueOf(refusal.getMessage()))
                        .setDetail(refusal.detail())
                        .build());
    }

    private void remember(Draft draft, RequestOrigin origin, ReplyRecord record) {
        draft.put(Keys.reply(origin.session(), origin.number()), record.toByteArray());
        SessionReplies session = sessions.get(origin.session());
        if (session == null) {
            throw new IllegalStateException("session " + origin.session() + " was never recalled");
        }
        session.numbers().add(origin.number());
        if (session.numbers().size() > REPLIES_PER_SESSION_MAX) {
            forget(draft, origin.session(), session, session.numbers().first());
        } else if (session.numbers().size() >= FORGET_AT_ONCE_MIN) {
            forget(draft, origin.session(), session, session.lowWaterMark());
        }
    }

    /** Closes the session that was silent longest, if that was long enough, a bounded piece with each batch. */
    void expire(Draft batch) {
        Iterator<Map.Entry<SessionId, SessionReplies>> oldest =
                sessions.entrySet().iterator();
        if (!oldest.hasNext()) {
            return;
        }
        Map.Entry<SessionId, SessionReplies> entry = oldest.next();
        SessionReplies session = entry.getValue();
        if (clock.monotonicNanos() - session.lastHeardNanos() < SILENCE_NANOS) {
            return;
        }
        forget(batch, entry.getKey(), session, CLOSED);
        if (session.numbers().isEmpty()) {
            batch.put(floorKey(entry.getKey()), bytes(CLOSED));
            tombstones.add(entry.getKey().value());
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
        SessionReplies fresh = new SessionReplies(clock.monotonicNanos());
        sessions.put(id, fresh);
        return fresh;
    }

    private static void forget(Draft draft, SessionId id, SessionReplies session, long upTo) {
        long floor = session.floor();
        TreeSet<Long> numbers = session.numbers();
        for (int i = 0; i < FORGET_AT_ONCE_MAX && !numbers.isEmpty() && numbers.first() <= upTo; i++) {
            long number = numbers.first();
            numbers.remove(number);
            draft.delete(Keys.reply(id, number));
            floor = Math.max(floor, number);
        }
        if (floor > session.floor()) {
            session.setFloor(floor);
            draft.put(floorKey(id), bytes(floor));
        }
    }

    private void limitTombstones(Draft batch) {
        while (tombstones.size() > TOMBSTONES_MAX) {
            long oldest = tombstones.first();
            tombstones.remove(oldest);
            batch.delete(floorKey(new SessionId(oldest)));
            sessionFloor = oldest + 1;
            batch.put(SESSION_FLOOR, bytes(sessionFloor));
        }
    }

    /** Requests are numbered from 1, so number 0 holds the highest that was forgotten. */
    private static byte[] floorKey(SessionId session) {
        return Keys.reply(session, 0);
    }

    private static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    private static long number(byte @Nullable [] value) {
        return value == null ? 0 : ByteBuffer.wrap(value).getLong();
    }
}
