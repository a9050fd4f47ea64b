package io.tatami.rpc.netty.server;

import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.base.TatamiException;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.Responder;
import io.tatami.rpc.netty.frame.Frame;
import io.tatami.rpc.netty.shared.Outbox;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A request from its arrival to its answer, on the server's side. */
final class ServerCall<R extends Message> implements Responder<R>, Outbox.Entry {
    private final ServerCalls calls;
    private final int callId;
    private final CallContext context;
    private final @Nullable Half stream;
    private final AtomicReference<@Nullable Object> answer = new AtomicReference<>();

    /** What a request that stays open has beside its answer; called on the event loop. */
    interface Half {
        /** @throws TatamiException MALFORMED, which ends the connection */
        void received(Frame frame) throws TatamiException;

        /** Nobody waits for the answer any more. */
        void cancelled(TatamiException reason);

        /** The answer is written. */
        void answered();
    }

    /** @param stream null for a call */
    ServerCall(ServerCalls calls, int callId, CallContext context, @Nullable Half stream) {
        this.calls = calls;
        this.callId = callId;
        this.context = context;
        this.stream = stream;
    }

    @Override
    public void success(R reply) {
        answer(reply);
    }

    @Override
    public void failure(TatamiException failure) {
        answer(failure);
    }

    @Override
    public void write() {
        Object given = answer.get();
        if (given instanceof Message reply) {
            calls.answer(this, reply);
        } else if (given instanceof TatamiException failure) {
            calls.answer(this, failure);
        }
    }

    @Override
    public void discard() {
        // Nobody is there to hear it.
    }

    int callId() {
        return callId;
    }

    CallContext context() {
        return context;
    }

    @Nullable
    Half stream() {
        return stream;
    }

    boolean isAnswered() {
        return answer.get() != null;
    }

    private void answer(Object given) {
        Check.check(tryAnswer(given), "a request was answered twice");
    }

    /**
     * Answers unless that was done before.
     *
     * @param given the reply, or the failure
     */
    boolean tryAnswer(Object given) {
        boolean first = answer.compareAndSet(null, given);
        if (first) {
            calls.offer(this);
        }
        return first;
    }
}
