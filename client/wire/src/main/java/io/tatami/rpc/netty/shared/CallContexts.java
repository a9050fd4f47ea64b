package io.tatami.rpc.netty.shared;

import com.google.protobuf.ByteString;
import io.netty.channel.Channel;
import io.netty.channel.unix.DomainSocketAddress;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.RequestLimits;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.RequestHeader;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Traceparent;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;

/** What a server makes of a client's address and headers, which may hold anything. */
public final class CallContexts {
    private CallContexts() {}

    public static CallContext.Peer of(Channel channel, String clientName) {
        return new CallContext.Peer(
                channel.remoteAddress(),
                clientName,
                isSameHost(channel),
                channel.id().asLongText());
    }

    /** @throws TatamiException MALFORMED when a field has a value that it cannot have */
    public static CallContext context(CallContext.Peer peer, UserIdentity user, RequestHeader header, long arrivalNanos)
            throws TatamiException {
        long timeoutMillis = Integer.toUnsignedLong(header.getDeadlineMillis());
        if (header.getSession() < 0 || header.getNumber() < 0 || header.getLowWaterMark() < 0) {
            throw new TatamiException(ErrorCode.MALFORMED, "a request header contains a number of 2^63 or more");
        }
        int contextBytes = header.getCallerContext().size();
        if (contextBytes > RequestLimits.CALLER_CONTEXT_BYTES) {
            throw new TatamiException(
                    ErrorCode.MALFORMED,
                    "the caller context of a request header has " + contextBytes + " bytes; the limit is "
                            + RequestLimits.CALLER_CONTEXT_BYTES);
        }
        CallOptions options = new CallOptions(
                header.hasGroup() ? group(header.getGroup()) : null,
                new SessionId(header.getSession()),
                header.getNumber(),
                header.getLowWaterMark(),
                timeoutMillis,
                header.getCredential(),
                header.getFirstAttempt(),
                header.getCallerContext(),
                Traceparent.isValid(header.getTraceparent()) ? header.getTraceparent() : ByteString.EMPTY);
        return new CallContext(peer, user, options, arrivalNanos + TimeUnit.MILLISECONDS.toNanos(timeoutMillis));
    }

    /** The group that a client numbers so. @throws TatamiException MALFORMED where there can be none */
    public static GroupId group(int number) throws TatamiException {
        if (number < GroupId.NAMESPACE.value() || number >= GroupId.SHARDS_MAX) {
            throw new TatamiException(ErrorCode.MALFORMED, "invalid group number " + number);
        }
        return new GroupId(number);
    }

    /** Whether both ends of a connection are on one host. */
    public static boolean isSameHost(Channel channel) {
        SocketAddress remote = channel.remoteAddress();
        SocketAddress local = channel.localAddress();
        if (local instanceof DomainSocketAddress) {
            return true;
        }
        return remote instanceof InetSocketAddress there
                && local instanceof InetSocketAddress here
                && (there.getAddress().isLoopbackAddress() || there.getAddress().equals(here.getAddress()));
    }
}
