package io.tatami.meta.service.host;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
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
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembered replies, by which a request that comes again is answered again instead of done again. A client says up to
 * which number it has all replies; those are forgotten, and what comes below them later is refused, never executed.
 *
 * <p>The records are replicated state; this object keeps, for the group's thread that owns it, only which numbers there
 * are, and builds that anew when the group opens. Forgetting goes by handfuls, so that most requests pay nothing for it.
 */
final class ReplyMemory {
    private static final int FORGET_AT_ONCE = 64;

    /** Numbers of remembered replies of each session, rising. */
    private final Map<SessionId, ArrayDeque<Long>> numbers = new HashMap<>();

    ReplyMemory(View view) {
        try (View.Cursor cursor = view.scan(Keys.kind('c'), Keys.after(Keys.kind('c')))) {
            while (cursor.next()) {
                SessionId session = new SessionId(Keys.idOf(cursor.key()));
                note(session, Keys.secondIdOf(cursor.key()));
            }
        }
    }

    /** Only what would be the same on another try is remembered. */
    static boolean isRemembered(TatamiException refusal) {
        return !refusal.code().isRetryable();
    }

    /**
     * The remembered reply; null where the request is new.
     *
     * @throws TatamiException the remembered refusal; REPLY_EVICTED where the reply was forgotten
     */
    <R extends Message> @Nullable R recall(View view, RequestOrigin origin, Method<?, R> method)
            throws TatamiException {
        byte[] value = view.get(Keys.reply(origin.session(), origin.number()));
        if (value == null) {
            if (origin.number() <= floor(view, origin.session())) {
                throw new TatamiException(
                        ErrorCode.REPLY_EVICTED,
                        "request " + origin.number() + " of session " + origin.session()
                                + " comes after its reply was acknowledged; it is not done again");
            }
            return null;
        }
        return reply(value, method);
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
        note(origin.session(), origin.number());
        forgetUpTo(draft, origin);
    }

    private void note(SessionId session, long number) {
        if (number > 0) {
            numbers.computeIfAbsent(session, key -> new ArrayDeque<>()).addLast(number);
        }
    }

    private void forgetUpTo(Draft draft, RequestOrigin origin) {
        ArrayDeque<Long> known = numbers.get(origin.session());
        if (known == null || known.size() < FORGET_AT_ONCE) {
            return;
        }
        long forgotten = 0;
        while (!known.isEmpty() && known.peekFirst() <= origin.lowWaterMark()) {
            forgotten = known.removeFirst();
            draft.delete(Keys.reply(origin.session(), forgotten));
        }
        if (forgotten > floor(draft, origin.session())) {
            byte[] floor = ByteBuffer.allocate(Long.BYTES).putLong(forgotten).array();
            draft.put(floorKey(origin.session()), floor);
        }
    }

    /** Requests are numbered from 1, so number 0 holds the highest that was forgotten. */
    private static byte[] floorKey(SessionId session) {
        return Keys.reply(session, 0);
    }

    private static long floor(View view, SessionId session) {
        byte[] value = view.get(floorKey(session));
        return value == null ? 0 : ByteBuffer.wrap(value).getLong();
    }
}
