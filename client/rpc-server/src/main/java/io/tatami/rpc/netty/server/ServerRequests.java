package io.tatami.rpc.netty.server;

import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.Goodbye;
import io.tatami.protocol.wire.RequestHeader;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.RequestObserver;
import io.tatami.rpc.RequestScope;
import io.tatami.rpc.netty.frame.Frame;
import io.tatami.rpc.netty.shared.CallContexts;
import io.tatami.rpc.netty.shared.ChannelContext;
import io.tatami.rpc.netty.shared.Handshake;
import io.tatami.rpc.netty.shared.ServerIdentity;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the client at the other end of a connection asks a server for: brings requests, and what streams carry, to their
 * handlers. Used by the event loop that serves the connection.
 */
final class ServerRequests {
    private static final Logger LOG = LoggerFactory.getLogger(ServerRequests.class);

    private final ServerIdentity identity;
    private final HandlerTable handlers;
    private final Clock clock;
    private final ChannelContext link;
    private final ServerCalls calls;
    private final Client client;

    /** Who asks, by the handshake, and the protocol's version that was agreed on. */
    record Client(CallContext.Peer peer, UserIdentity user, int version) {}

    ServerRequests(
            ServerIdentity identity,
            HandlerTable handlers,
            Clock clock,
            ChannelContext link,
            ServerCalls calls,
            Client client) {
        this.identity = identity;
        this.handlers = handlers;
        this.clock = clock;
        this.link = link;
        this.calls = calls;
        this.client = client;
    }

    /** Has a request served, or refuses it. */
    void begin(Frame frame) throws TatamiException {
        RequestHeader header = frame.header(RequestHeader.parser());
        if (header.getProtocolVersion() != client.version) {
            throw new TatamiException(
                    ErrorCode.MALFORMED,
                    "a request of protocol version " + header.getProtocolVersion()
                            + ", but the connection uses version " + client.version);
        }
        CallContext context = CallContexts.context(client.peer, client.user, header, frame.arrivalNanos());
        TatamiException refusal = refusal(header, context);
        if (refusal != null) {
            refuse(frame, refusal);
            return;
        }
        HandlerTable.Call<?, ?> call;
        try {
            call = handlers.find(header.getMethod(), context.group());
        } catch (TatamiException e) {
            refuse(frame, e);
            return;
        }
        HandlerTable.Stream<?, ?, ?, ?> stream = handlers.findStream(header.getMethod());
        if (call != null) {
            begin(call, frame, context);
        } else if (stream != null) {
            begin(stream, frame, context);
        } else {
            refuse(
                    frame,
                    new TatamiException(
                            ErrorCode.UNSUPPORTED, identity.name() + " does not serve method " + header.getMethod()));
        }
    }

    private void refuse(Frame frame, TatamiException refusal) {
        calls.refuse(frame.callId(), refusal);
        handlers.observer()
                .answered(RequestObserver.NO_METHOD, clock.monotonicNanos() - frame.arrivalNanos(), refusal.code());
    }

    /** Why a request is not begun, or null. */
    private @Nullable TatamiException refusal(RequestHeader header, CallContext context) {
        if (!header.getClusterId().isEmpty()
                && !header.getClusterId().equals(Handshake.toBytes(identity.clusterId()))) {
            return new TatamiException(
                    ErrorCode.WRONG_CLUSTER,
                    "the request is for another cluster; this server belongs to " + identity.clusterId());
        }
        if (context.isExpired(clock)) {
            return new TatamiException(
                    ErrorCode.DEADLINE_EXCEEDED, "the deadline of the request passed before it was started");
        }
        if (handlers.findStream(header.getMethod()) != null && calls.isFull()) {
            return new TatamiException(
                    ErrorCode.BUSY, "too many requests of this client are in flight; send this one later");
        }
        return null;
    }

    private <Q extends Message, R extends Message> void begin(
            HandlerTable.Call<Q, R> served, Frame frame, CallContext context) throws TatamiException {
        Q body = frame.body(served.method().requestParser());
        ServerCall<R> call =
                new ServerCall<>(calls, frame.callId(), served.method().name(), context, null);
        calls.begin(call);
        guarded(call, served.method().name(), () -> served.handler().handle(context, body, call));
    }

    private <Q extends Message, U extends Message, D extends Message, R extends Message> void begin(
            HandlerTable.Stream<Q, U, D, R> served, Frame frame, CallContext context) throws TatamiException {
        Q body = frame.body(served.method().requestParser());
        ServerStreamEnd<U, D, R> stream = new ServerStreamEnd<>(served.method(), link, calls, frame.callId(), context);
        calls.begin(stream.call());
        guarded(stream.call(), served.method().name(), () -> stream.open(served.handler(), body));
    }

    /** A handler that throws has a bug, which must not take the connection with it. */
    private static void guarded(ServerCall<?> call, String methodName, Runnable handling) {
        RequestScope before = RequestScope.enter(call);
        try {
            handling.run();
        } catch (RuntimeException e) {
            LOG.error("the handler of {} failed", methodName, e);
            if (!call.isAnswered()) {
                call.failure(new TatamiException(ErrorCode.INTERNAL, methodName + " failed: " + e, e));
            }
        } finally {
            RequestScope.leave(before);
        }
    }

    /** Gives a stream what has come for it; what comes for one that has ended is passed over. */
    void data(Frame frame) throws TatamiException {
        ServerCall<?> call = calls.get(frame.callId());
        ServerCall.Half stream = call == null ? null : call.stream();
        if (call != null && stream == null) {
            throw new TatamiException(ErrorCode.MALFORMED, "a DATA frame for a call, which is not a stream");
        }
        if (call != null && stream != null) {
            stream.received(frame);
        }
    }

    /** The client does not want the answer any more. */
    void cancel(Frame frame) throws TatamiException {
        Goodbye why = frame.body(Goodbye.parser());
        calls.cancel(frame.callId(), new TatamiException(ErrorCode.CANCELLED, why.getMessage()));
    }
}
