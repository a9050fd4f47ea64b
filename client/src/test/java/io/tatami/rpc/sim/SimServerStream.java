package io.tatami.rpc.sim;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.tatami.base.Check;
import io.tatami.base.TatamiException;
import io.tatami.protocol.StreamMethod;
import io.tatami.rpc.ServerStream;
import io.tatami.rpc.StreamReceiver;
import org.jspecify.annotations.Nullable;

/** The server's end of a simulated stream; only bytes pass between it and the client's end. */
final class SimServerStream<U extends Message, D extends Message, R extends Message> extends SimEnd<D>
        implements ServerStream<D, R> {
    private final SimStream<?, ?, ?> client;
    private final StreamMethod<?, U, D, R> method;
    private @Nullable StreamReceiver<U> receiver;
    private boolean answered;

    SimServerStream(SimStream<?, ?, ?> client, StreamMethod<?, U, D, R> method) {
        super(client.connection(), false);
        this.client = client;
        this.method = method;
    }

    void open(StreamReceiver<U> opened) {
        receiver = opened;
    }

    @Override
    void sent(byte[] message, ByteBuf payload) {
        client.received(message, payload);
    }

    void received(byte[] message, ByteBuf payload) {
        take(() -> {
            if (receiver != null) {
                receiver.onMessage(SimConnection.parsed(method.upParser(), message), payload);
            }
        });
    }

    void cancelled(TatamiException reason) {
        if (!isEnded()) {
            end();
            if (receiver != null) {
                receiver.onCancelled(reason);
            }
        }
    }

    @Override
    public void success(R reply) {
        byte[] bytes = reply.toByteArray();
        answer(() -> client.finished(bytes));
    }

    @Override
    public void failure(TatamiException failure) {
        answer(() -> client.failed(failure));
    }

    private void answer(Runnable arrival) {
        Check.check(!answered, "%s was answered twice", method);
        answered = true;
        if (!isEnded()) {
            end();
            connection().carryInStream(false, arrival);
        }
    }
}
