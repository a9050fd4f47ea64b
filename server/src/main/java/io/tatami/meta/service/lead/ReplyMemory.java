package io.tatami.meta.service.lead;

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
import io.tatami.protocol.OlderRefusal;
import io.tatami.protocol.RefusalFormat;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Remembered replies, by which a request that comes again is answered again instead of done again. A client says up to
 * which number it has all replies; those are forgotten, and what comes below that later is refused, never executed.
 *
 * <p>The records are replicated state: a session's replies in pages under {@code c · session · page}, each with the
 * session's floor, up to which the client had them. The replies of a session that was silent here for
 * {@link #SILENCE_NANOS} go, and a tombstone stays that knows the highest number seen. A session's numbers rise, so
 * what comes above it is new: a client that comes back after days notices nothing. A tombstone is forgotten
 * {@link #TOMBSTONE_MILLIS} of log time after it was made, however many there are; no client sends a request again
 * after half of that.
 *
 * <p>Tombstones are in the store only. Of sessions in memory there are {@link #SESSIONS_MAX} at most: near that bound
 * those silent for {@link #SILENCE_MIN_NANOS} are closed early, and where that makes no room a session that is not in
 * memory is refused with BUSY; so is one of a user who has {@link #SESSIONS_OF_USER_MAX}.
 *
 * <p>Where all replies together have more than {@link #BYTES_MAX}, the sessions that have most lose their oldest.
 *
 * <p>This object keeps what the records hold for the group's thread that owns it, and writes them once a batch; it is
 * built anew when the group opens.
 */
public final class ReplyMemory {
    static final long SILENCE_NANOS = TimeUnit.HOURS.toNanos(1);

    /** Longer than any client waits for a reply. */
    static final long SILENCE_MIN_NANOS = TimeUnit.MINUTES.toNanos(10);

    static final long TOMBSTONE_MILLIS = TimeUnit.DAYS.toMillis(1);

    /** Replies of one session that are kept even where its client never raises its mark. */
    static final int REPLIES_PER_SESSION_MAX = 4_096;

    /** A longer reply is not remembered, only that the request was done. */
    static final int REPLY_BYTES_MAX = 256 << 10;

    /** Of each text of a refusal. */
    static final int TEXT_CHARACTERS_MAX = 1_024;

    /** The replies of one session; the newest is kept whatever it has, so one page fits into one record. */
    static final int SESSION_BYTES_MAX = 1 << 20;

    /** All replies. */
    static final int BYTES_MAX = 128 << 20;

    /** Sessions in memory, at some 500 bytes each beside their replies. */
    static final int SESSIONS_MAX = 131_072;

    /** Sessions of one user in memory, so that none can take all the room. */
    static final int SESSIONS_OF_USER_MAX = SESSIONS_MAX / 8 * 7;

    /** Sessions above this number are closed early. */
    private static final int SESSIONS_HIGH = SESSIONS_MAX / 4 * 3;

    /** As many as a batch may begin, so that closing keeps up. */
    private static final int CLOSED_PER_BATCH_MAX = 2_048;

    /** What earlier releases wrote into the tombstone of a session. */
    private static final long UNKNOWN_FLOOR = Long.MAX_VALUE;

    /** What earlier releases kept: sessions below were refused. */
    private static final byte[] SESSION_FLOOR = Keys.singleton("sessions.floor");

    private final View stored;
    private final Clock clock;
    private final OldTombstones tombstones;

    /** In the order in which they were last heard of. */
    private final LinkedHashMap<SessionId, SessionReplies> sessions = new LinkedHashMap<>(16, 0.75f, true);

    /** The same sessions, for other threads, which look at their marks only. */
    private final ConcurrentMap<SessionId, SessionReplies> shared = new ConcurrentHashMap<>();

    /** Those with replies that are not in the store's records yet. */
    private final Map<SessionId, SessionReplies> changed = new LinkedHashMap<>();

    /** How many sessions in memory each user has; those that were loaded count for nobody until they are closed. */
    private final Map<String, Integer> sessionsOf = new HashMap<>();

    /** Of all replies in memory. */
    private long bytes;

    /** At most what {@link #changed} sessions write, each the pages that changed. */
    private long unwrittenBytes;

    private boolean hasSessionFloor;

    /** @param stored what is durable, now and later */
    public ReplyMemory(View stored, Clock clock) {
        this.stored = stored;
        this.clock = clock;
        this.tombstones = new OldTombstones(stored, clock);
        this.hasSessionFloor = stored.get(SESSION_FLOOR) != null;
        try (View.Cursor cursor = stored.scan(Keys.kind('c'), Keys.after(Keys.kind('c')))) {
            while (cursor.next()) {
                load(new SessionId(Keys.idOf(cursor.key())), Keys.secondIdOf(cursor.key()), page(cursor.value()));
            }
        }
    }

    private void load(SessionId session, long page, RepliesRecord record) {
        if (!isTombstone(record)) {
            SessionReplies known = sessions.get(session);
            SessionReplies of = known == null ? add(session, new SessionReplies("", clock.monotonicNanos())) : known;
            bytes -= of.bytes();
            of.load(page, record);
            bytes += of.bytes();
        }
    }

    static boolean isTombstone(RepliesRecord record) {
        return record.getClosedMillis() != 0 || record.getFloor() == UNKNOWN_FLOOR;
    }

    private static long floorOf(RepliesRecord record) {
        return record.getFloor() == UNKNOWN_FLOOR ? 0 : record.getFloor();
    }

    /** Only what would be the same on another try is remembered. */
    public static boolean isRemembered(TatamiException refusal) {
        return !refusal.code().isRetryable();
    }

    /**
     * The remembered reply; null where the request is new. On the group's thread.
     *
     * @throws TatamiException the remembered refusal; REPLY_EVICTED where the reply was forgotten; BUSY where there are
     *     too many sessions
     */
    <R extends Message> @Nullable R recall(RequestOrigin origin, Method<?, R> method) throws TatamiException {
        SessionReplies session = session(origin.session(), origin.caller().user());
        boolean isNew = origin.number() > session.lowWaterMark();
        session.heard(origin.number(), origin.lowWaterMark(), clock.monotonicNanos());
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
    public <R extends Message> @Nullable R recallStored(View snapshot, RequestOrigin origin, Method<?, R> method)
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
                floor = Math.max(floor, floorOf(page));
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
                        + " arrived after its reply was acknowledged; it is not executed again");
    }

    static RepliesRecord page(byte[] value) {
        return Records.parse(value, RepliesRecord.parser());
    }

    private static <R extends Message> R reply(ReplyRecord record, Method<?, R> method) throws TatamiException {
        if (record.getMethod() != method.number()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, "the request's number was already used for another method");
        }
        if (record.getError() != 0) {
            throw record.hasRefusal()
                    ? RefusalFormat.exception(record.getRefusal(), record.getMessage())
                    : OlderRefusal.exception(record.getError(), record.getMessage(), record.getDetail());
        }
        if (record.getIsTooLong()) {
            throw new TatamiException(
                    ErrorCode.REPLY_EVICTED,
                    method + " was already executed; its reply was too long to be remembered: read the result");
        }
        try {
            return method.replyParser().parseFrom(record.getBody());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException("a remembered reply does not parse", e);
        }
    }

    void remember(RequestOrigin origin, Method<?, ?> method, Message reply) {
        ReplyRecord.Builder record =
                ReplyRecord.newBuilder().setNumber(origin.number()).setMethod(method.number());
        if (reply.getSerializedSize() > REPLY_BYTES_MAX) {
            record.setIsTooLong(true);
        } else {
            record.setBody(reply.toByteString());
        }
        remember(origin, record.build());
    }

    void remember(RequestOrigin origin, Method<?, ?> method, TatamiException refusal) {
        remember(
                origin,
                ReplyRecord.newBuilder()
                        .setNumber(origin.number())
                        .setMethod(method.number())
                        .setError(refusal.code().number())
                        .setMessage(RefusalFormat.shortened(String.valueOf(refusal.getMessage()), TEXT_CHARACTERS_MAX))
                        .setDetail(RefusalFormat.shortened(OlderRefusal.detailText(refusal), TEXT_CHARACTERS_MAX))
                        .setRefusal(RefusalFormat.of(refusal, TEXT_CHARACTERS_MAX))
                        .build());
    }

    private void remember(RequestOrigin origin, ReplyRecord record) {
        SessionReplies session = sessions.get(origin.session());
        if (session == null) {
            throw new IllegalStateException("session " + origin.session() + " was never recalled");
        }
        bytes -= session.bytes();
        session.add(record, REPLIES_PER_SESSION_MAX, SESSION_BYTES_MAX);
        bytes += session.bytes();
        boolean isFirst = changed.put(origin.session(), session) == null;
        unwrittenBytes += isFirst ? session.bytes() : record.getSerializedSize();
    }

    /** Whether so much was remembered since the last batch that it is enough for one. */
    boolean isFull() {
        return unwrittenBytes >= ChangeLimits.BATCH_BYTES_ENOUGH;
    }

    /**
     * Puts what was remembered since the last batch into this one, closes sessions that were silent for long, and
     * forgets old tombstones.
     *
     * @param nowMillis log time
     */
    public void writeTo(Draft batch, long nowMillis) {
        limitBytes();
        changed.forEach((id, session) -> {
            bytes -= session.bytes();
            session.writeTo(batch, id);
            bytes += session.bytes();
        });
        changed.clear();
        unwrittenBytes = 0;
        // First: what is closed in this batch leaves a tombstone that may lie over an old one.
        tombstones.forgetIn(batch, nowMillis, sessions::containsKey);
        closeSilent(batch, nowMillis);
        if (hasSessionFloor) {
            batch.delete(SESSION_FLOOR);
            hasSessionFloor = false;
        }
    }

    private void limitBytes() {
        for (int most = SESSION_BYTES_MAX / 2; bytes > BYTES_MAX && most > 0; most /= 2) {
            for (Map.Entry<SessionId, SessionReplies> entry : sessions.entrySet()) {
                bytes -= entry.getValue().bytes();
                if (entry.getValue().trim(most)) {
                    changed.put(entry.getKey(), entry.getValue());
                }
                bytes += entry.getValue().bytes();
            }
        }
    }

    private void closeSilent(Draft batch, long nowMillis) {
        long now = clock.monotonicNanos();
        Iterator<Map.Entry<SessionId, SessionReplies>> oldest =
                sessions.entrySet().iterator();
        for (int closed = 0; closed < CLOSED_PER_BATCH_MAX && oldest.hasNext(); closed++) {
            Map.Entry<SessionId, SessionReplies> entry = oldest.next();
            long limit = sessions.size() > SESSIONS_HIGH ? SILENCE_MIN_NANOS : SILENCE_NANOS;
            if (now - entry.getValue().lastHeardNanos() < limit) {
                return;
            }
            entry.getValue().closeIn(batch, entry.getKey(), nowMillis);
            bytes -= entry.getValue().bytes();
            shared.remove(entry.getKey());
            sessionsOf.computeIfPresent(
                    entry.getValue().user(), (user, count) -> count == 1 ? null : Integer.valueOf(count - 1));
            oldest.remove();
        }
    }

    /** The session in memory; begun, or begun again where it was closed, if it is not there. */
    private SessionReplies session(SessionId id, String user) throws TatamiException {
        SessionReplies known = sessions.get(id);
        if (known != null) {
            return known;
        }
        if (sessions.size() >= SESSIONS_MAX || sessionsOf.getOrDefault(user, 0) >= SESSIONS_OF_USER_MAX) {
            throw new TatamiException(
                    ErrorCode.BUSY, "too many clients are changing this group; send this request later");
        }
        byte[] tombstone = stored.get(Keys.replies(id, 0));
        long now = clock.monotonicNanos();
        return add(
                id,
                tombstone == null
                        ? new SessionReplies(user, now)
                        : SessionReplies.reopened(user, floorOf(page(tombstone)), now));
    }

    private SessionReplies add(SessionId id, SessionReplies session) {
        sessions.put(id, session);
        if (!session.user().isEmpty()) {
            sessionsOf.merge(session.user(), 1, Integer::sum);
        }
        shared.put(id, session);
        return session;
    }
}
