package io.tatami.rpc.netty.client;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.StreamMethod;
import io.tatami.rpc.RpcStream;
import io.tatami.rpc.StreamListener;
import io.tatami.rpc.netty.frame.Frame;
import io.tatami.rpc.netty.shared.ChannelContext;
import io.tatami.rpc.netty.shared.StreamEnd;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The client's side of a stream. What is sent before the request itself could be sent is kept in order. */
final class ClientStream<U extends Message, D extends Message, R extends Message> extends StreamEnd<U>
        implements RpcStream<U>, PendingRequest.Waiter {
    private static final Logger LOG = LoggerFactory.getLogger(ClientStream.class);

    private final StreamMethod<?, U, D, R> method;
    private final StreamListener<D, R> listener;
    private volatile @Nullable PendingRequest request;

    // Owned by the event loop. Bounded as what is sent is: its bytes count as not taken.
    private final ArrayDeque<Data> early = new ArrayDeque<>();
    private int callId;

    ClientStream(StreamMethod<?, U, D, R> method, StreamListener<D, R> listener, ChannelContext link) {
        super(link);
        this.method = method;
        this.listener = listener;
    }

    void begin(PendingRequest begun) {
        request = begun;
    }

    @Override
    public void cancel(String reason) {
        fail(new TatamiException(ErrorCode.CANCELLED, reason));
    }

    @Override
    public void tooLong(TatamiException failure) {
        fail(failure);
    }

    @Override
    public void writeData(Data data) {
        if (callId == 0) {
            early.add(data);
        } else {
            data.writeAs(callId);
        }
    }

    @Override
    public void sent(int id) {
        callId = id;
        while (!early.isEmpty()) {
            early.remove().write();
        }
    }

    @Override
    public void replied(Frame frame) throws TatamiException {
        R reply = frame.body(method.replyParser());
        finish(() -> new TatamiException(ErrorCode.CANCELLED, "the stream has already ended"));
        guarded(() -> listener.onFinished(reply));
    }

    @Override
    public void received(Frame frame) throws TatamiException {
        D message = frame.body(method.downParser());
        ByteBuf payload = frame.retainPayload();
        guarded(() -> listener.onMessage(message, payload));
    }

    @Override
    public void failed(TatamiException failure) {
        finish(failure::again);
        guarded(() -> listener.onFailed(failure));
    }

    /** A listener that throws has a bug, which must not take the connection with it. */
    private void guarded(Runnable notice) {
        try {
            notice.run();
        } catch (RuntimeException e) {
            LOG.error("the listener of {} failed", method, e);
            fail(new TatamiException(ErrorCode.INTERNAL, "the listener of " + method + " failed", e));
        }
    }

    private void fail(TatamiException failure) {
        PendingRequest begun = request;
        if (begun != null) {
            begun.abandon(failure);
        }
    }

    private void finish(Supplier<TatamiException> reason) {
        end(reason);
        while (!early.isEmpty()) {
            early.remove().discard();
        }
    }
}
