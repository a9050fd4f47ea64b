package io.tatami.rpc.sim;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.StreamMethod;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.RpcStream;
import io.tatami.rpc.StreamListener;
import org.jspecify.annotations.Nullable;

/** The client's end of a simulated stream. */
final class SimStream<U extends Message, D extends Message, R extends Message> extends SimEnd<U>
        implements RpcStream<U>, SimConnection.Pending {
    private final StreamMethod<?, U, D, R> method;
    private final StreamListener<D, R> listener;
    private @Nullable SimServerStream<?, ?, ?> server;

    SimStream(SimConnection connection, StreamMethod<?, U, D, R> method, StreamListener<D, R> listener) {
        super(connection, true);
        this.method = method;
        this.listener = listener;
    }

    /** The request comes to the server. */
    void arrive(@Nullable HandlerTable table, CallContext context, byte[] bytes) {
        HandlerTable.Stream<?, ?, ?, ?> served = table == null ? null : table.findStream(method.number());
        if (table == null) {
            connection().cut("nobody serves " + connection().peer());
        } else if (served == null) {
            TatamiException refusal = new TatamiException(
                    ErrorCode.UNSUPPORTED, connection().peer() + " does not serve method " + method.number());
            connection().carryInStream(false, () -> failed(refusal));
        } else {
            server = opened(served, context, bytes);
        }
    }

    private <Q extends Message, V extends Message, E extends Message, S extends Message>
            SimServerStream<V, E, S> opened(HandlerTable.Stream<Q, V, E, S> served, CallContext context, byte[] bytes) {
        SimServerStream<V, E, S> end = new SimServerStream<>(this, served.method());
        end.open(served.handler()
                .open(context, SimConnection.parsed(served.method().requestParser(), bytes), end));
        return end;
    }

    @Override
    void sent(byte[] message, ByteBuf payload) {
        if (server != null) {
            server.received(message, payload);
        }
    }

    void received(byte[] message, ByteBuf payload) {
        take(() -> listener.onMessage(SimConnection.parsed(method.downParser(), message), payload));
    }

    void finished(byte[] reply) {
        take(() -> {
            connection().end(this);
            end();
            listener.onFinished(SimConnection.parsed(method.replyParser(), reply));
        });
    }

    void failed(TatamiException failure) {
        take(() -> {
            connection().end(this);
            end();
            listener.onFailed(failure);
        });
    }

    @Override
    public void cancel(String reason) {
        if (connection().end(this)) {
            fail(new TatamiException(ErrorCode.CANCELLED, reason));
        }
    }

    /** Cancelled, out of time, or cut: both ends are told. */
    @Override
    public void fail(TatamiException failure) {
        if (!isEnded()) {
            end();
            listener.onFailed(failure);
        }
        if (server != null) {
            server.cancelled(failure);
        }
    }
}
