package io.tatami.rpc.netty.client;

import com.google.protobuf.Message;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Method;
import io.tatami.rpc.RequestScope;
import io.tatami.rpc.netty.frame.Frame;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The future of a call; cancelling it tells the server. */
final class ClientCall<R extends Message> extends CompletableFuture<R> implements PendingRequest.Waiter {
    private final Method<?, R> method;
    private final @Nullable CallInScope scope;
    private volatile @Nullable PendingRequest request;

    /** @param scope null where it is not made for a request that is being served */
    ClientCall(Method<?, R> method, @Nullable CallInScope scope) {
        this.method = method;
        this.scope = scope;
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
        R reply = frame.body(method.replyParser());
        if (scope == null) {
            complete(reply);
        } else {
            inScope(scope, () -> complete(reply));
        }
    }

    @Override
    public void received(Frame frame) throws TatamiException {
        throw new TatamiException(
                ErrorCode.MALFORMED,
                "the server sent a DATA frame for " + method + ", which is a call and not a stream");
    }

    @Override
    public void failed(TatamiException failure) {
        if (scope == null) {
            completeExceptionally(failure);
        } else {
            inScope(scope, () -> completeExceptionally(failure));
        }
    }

    /** What others do when they hear of the end belongs to the request that the call was made for. */
    private void inScope(CallInScope called, BooleanSupplier end) {
        RequestScope before = called.enter(method.name());
        try {
            boolean unused = end.getAsBoolean();
        } finally {
            RequestScope.leave(before);
        }
    }
}
