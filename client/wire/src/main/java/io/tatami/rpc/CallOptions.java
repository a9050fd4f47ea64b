package io.tatami.rpc;

import com.google.protobuf.ByteString;
import io.tatami.base.Check;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import org.jspecify.annotations.Nullable;

/**
 * What a request says beside its body.
 *
 * @param group the group that shall serve it; null where the method concerns none
 * @param session the client's session, {@link SessionId#NONE} for none
 * @param number the request's number in its session; 0 when its reply need not be remembered
 * @param lowWaterMark the client has the replies up to this number, so that the server may forget them
 * @param timeoutMillis how long to wait, counted from the call and including the time in queues; 0 for without end
 * @param credential opaque to the transport; empty for none
 * @param firstAttempt whether the request is sent for the first time under its number
 * @param callerContext for whom the caller asks, in UTF-8 and at most
 *     {@value io.tatami.protocol.RequestLimits#CALLER_CONTEXT_BYTES} bytes; empty for none
 * @param traceparent the trace that the request belongs to, a {@link Traceparent}; empty for none
 */
public record CallOptions(
        @Nullable GroupId group,
        SessionId session,
        long number,
        long lowWaterMark,
        long timeoutMillis,
        ByteString credential,
        boolean firstAttempt,
        ByteString callerContext,
        ByteString traceparent) {
    /** What {@link #DEFAULT} waits. */
    public static final long TIMEOUT_MILLIS_DEFAULT = 60_000;

    /** No group, no session, a minute. */
    public static final CallOptions DEFAULT = new CallOptions(
            null,
            SessionId.NONE,
            0,
            0,
            TIMEOUT_MILLIS_DEFAULT,
            ByteString.EMPTY,
            false,
            ByteString.EMPTY,
            ByteString.EMPTY);

    public CallOptions {
        Check.check(number >= 0 && lowWaterMark >= 0, "request number %d, low-water mark %d", number, lowWaterMark);
        Check.check(timeoutMillis >= 0, "timeout of %d ms", timeoutMillis);
    }

    public CallOptions withGroup(GroupId other) {
        return new CallOptions(
                other,
                session,
                number,
                lowWaterMark,
                timeoutMillis,
                credential,
                firstAttempt,
                callerContext,
                traceparent);
    }

    /** The reply is remembered by the group under {@code session} and {@code number}, so that a retry is done once. */
    public CallOptions withNumber(SessionId otherSession, long otherNumber, long otherLowWaterMark) {
        return new CallOptions(
                group,
                otherSession,
                otherNumber,
                otherLowWaterMark,
                timeoutMillis,
                credential,
                firstAttempt,
                callerContext,
                traceparent);
    }

    /** @param millis 0 for without end */
    public CallOptions withTimeoutMillis(long millis) {
        return new CallOptions(
                group, session, number, lowWaterMark, millis, credential, firstAttempt, callerContext, traceparent);
    }

    public CallOptions withCredential(ByteString other) {
        return new CallOptions(
                group, session, number, lowWaterMark, timeoutMillis, other, firstAttempt, callerContext, traceparent);
    }

    public CallOptions withCallerContext(ByteString other) {
        return new CallOptions(
                group, session, number, lowWaterMark, timeoutMillis, credential, firstAttempt, other, traceparent);
    }

    /** As part of a trace, a {@link Traceparent}. */
    public CallOptions withTraceparent(ByteString other) {
        return new CallOptions(
                group, session, number, lowWaterMark, timeoutMillis, credential, firstAttempt, callerContext, other);
    }
}
