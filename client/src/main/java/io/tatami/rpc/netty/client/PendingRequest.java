package io.tatami.rpc.netty.client;

import com.google.protobuf.Message;
import io.tatami.base.TatamiException;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.netty.frame.Frame;
import io.tatami.rpc.netty.shared.Outbox;
import org.jspecify.annotations.Nullable;

/**
 * A request from its call to its end, on the client's side. Made by the calling thread, then owned by the connection's
 * event loop.
 */
final class PendingRequest implements Outbox.Entry {
    /** Who waits for it; called on the event loop. */
    interface Waiter {
        /** @throws TatamiException MALFORMED, which ends the connection */
        void replied(Frame frame) throws TatamiException;

        /** @throws TatamiException MALFORMED, which ends the connection */
        void received(Frame frame) throws TatamiException;

        void failed(TatamiException failure);

        /** The request is on the wire. */
        default void sent(int callId) {}
    }

    private final ClientRequests requests;
    private final Waiter waiter;
    private final int methodNumber;
    private final CallOptions options;
    private final long deadlineNanos;

    /** Null once sent, so that it need not be kept. */
    private @Nullable Message body;

    private int callId;

    PendingRequest(
            ClientRequests requests,
            Waiter waiter,
            int methodNumber,
            CallOptions options,
            Message body,
            long deadline) {
        this.requests = requests;
        this.waiter = waiter;
        this.methodNumber = methodNumber;
        this.options = options;
        this.body = body;
        this.deadlineNanos = deadline;
    }

    @Override
    public void write() {
        requests.submit(this);
    }

    @Override
    public void discard() {
        requests.discard(this);
    }

    /** Ends it, if it has not ended, and tells the server; from any thread. */
    void abandon(TatamiException reason) {
        requests.offerAbandon(this, reason);
    }

    Waiter waiter() {
        return waiter;
    }

    int methodNumber() {
        return methodNumber;
    }

    CallOptions options() {
        return options;
    }

    boolean isExpired(long nowNanos) {
        return options.timeoutMillis() > 0 && nowNanos - deadlineNanos >= 0;
    }

    long remainingNanos(long nowNanos) {
        return deadlineNanos - nowNanos;
    }

    /** 0 before it is sent. */
    int callId() {
        return callId;
    }

    /** The body, to be sent under {@code id}. */
    @Nullable
    Message takeBody(int id) {
        Message taken = body;
        body = null;
        callId = id;
        return taken;
    }
}
