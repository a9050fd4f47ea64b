package io.tatami.rpc;

import com.google.protobuf.ByteString;
import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.protocol.UserIdentity;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a handler knows of a request beside its body.
 *
 * @param user whom the connection was opened for
 * @param options the header's fields as the client gave them; the timeout is what was left when the request was written
 * @param deadlineNanos when the client gives up, by the server clock's monotonic nanoseconds; where the client waits
 *     without end, when the request arrived
 */
public record CallContext(Peer peer, UserIdentity user, CallOptions options, long deadlineNanos) {
    /**
     * Who is at the other end.
     *
     * @param address as seen from here
     * @param clientName as the client called itself; for logs only
     * @param sameHost whether the client runs on this host
     * @param connection names the connection, among all that there ever are
     */
    public record Peer(SocketAddress address, String clientName, boolean sameHost, String connection) {}

    public @Nullable GroupId group() {
        return options.group();
    }

    public SessionId session() {
        return options.session();
    }

    /** The request's number in its session; 0 when its reply need not be remembered. */
    public long number() {
        return options.number();
    }

    public long lowWaterMark() {
        return options.lowWaterMark();
    }

    public ByteString credential() {
        return options.credential();
    }

    /** For whom the caller asks, as it says; empty for none. */
    public ByteString callerContext() {
        return options.callerContext();
    }

    /** Whether the request is sent for the first time under its number; false where the client does not tell. */
    public boolean isFirstAttempt() {
        return options.firstAttempt();
    }

    /** When the request arrived, by the server clock's monotonic nanoseconds. */
    public long arrivalNanos() {
        return deadlineNanos - TimeUnit.MILLISECONDS.toNanos(options.timeoutMillis());
    }

    public boolean hasDeadline() {
        return options.timeoutMillis() > 0;
    }

    public boolean isExpired(Clock clock) {
        return hasDeadline() && clock.monotonicNanos() - deadlineNanos >= 0;
    }
}
