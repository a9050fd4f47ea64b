package io.tatami.rpc.netty.client;

import com.google.protobuf.Message;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Method;
import io.tatami.rpc.netty.frame.Frame;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The future of a call; cancelling it tells the server. */
final class ClientCall<R extends Message> extends CompletableFuture<R> implements PendingRequest.Waiter {
    private final Method<?, R> method;
    private volatile @Nullable PendingRequest request;

    ClientCall(Method<?, R> method) {
        this.method = method;
    }

    void begin(PendingRequest begun) {
        request = begun;
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        boolean cancelled = super.cancel(mayInterruptIfRunning);
        PendingRequest begun = request;
        if (cancelled && begun != null) {
            begun.abandon(new TatamiException(ErrorCode.CANCELLED, "the caller cancelled the call"));
        }
        return cancelled;
    }

    @Override
    public void replied(Frame frame) throws TatamiException {
        complete(frame.body(method.replyParser()));
    }

    @Override
    public void received(Frame frame) throws TatamiException {
        throw new TatamiException(
                ErrorCode.MALFORMED,
                "the server sent a DATA frame for " + method + ", which is a call and not a stream");
    }

    @Override
    public void failed(TatamiException failure) {
        completeExceptionally(failure);
    }
}
