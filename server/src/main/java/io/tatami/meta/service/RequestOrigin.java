package io.tatami.meta.service;

import io.tatami.base.Check;
import io.tatami.base.SessionId;
import io.tatami.meta.state.Caller;
import java.util.List;

/**
 * Where a request comes from, as the service knows it before it is decided.
 *
 * @param session {@link SessionId#NONE} for requests of servers
 * @param number the request's number in its session; 0 where its reply need not be remembered
 * @param lowWaterMark the client has the replies up to this number
 * @param deadlineNanos monotonic time after which nobody waits for the reply; {@link #NO_DEADLINE} for never
 * @param mayWriteBesideReads whether a read may write what goes with it, as an access time; not in safe mode, nor while
 *     a disk is full
 * @param isFirstAttempt whether the client sends the request for the first time under this number; it sends it again
 *     only while it has no answer
 */
public record RequestOrigin(
        Caller caller,
        SessionId session,
        long number,
        long lowWaterMark,
        long deadlineNanos,
        boolean mayWriteBesideReads,
        boolean isFirstAttempt) {
    public static final long NO_DEADLINE = Long.MAX_VALUE;

    /** The service itself: steps of flows and background work. */
    public static final RequestOrigin SERVICE =
            new RequestOrigin(new Caller("", List.of(), true), SessionId.NONE, 0, 0, NO_DEADLINE);

    /** A request whose reads may write beside them, and that may have been sent before. */
    public RequestOrigin(Caller caller, SessionId session, long number, long lowWaterMark, long deadlineNanos) {
        this(caller, session, number, lowWaterMark, deadlineNanos, true, false);
    }

    public RequestOrigin {
        Check.check(
                number == 0 || session.value() != 0,
                "request %d has a number but no session to remember it by",
                number);
    }

    /** Whether the reply is kept so that a retry gets it again. */
    public boolean isRemembered() {
        return number > 0;
    }

    public boolean isExpired(long nowNanos) {
        return deadlineNanos != NO_DEADLINE && nowNanos - deadlineNanos >= 0;
    }
}
