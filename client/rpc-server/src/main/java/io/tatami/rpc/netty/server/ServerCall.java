package io.tatami.rpc.netty.server;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.Check;
import io.tatami.base.TatamiException;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.RequestScope;
import io.tatami.rpc.Responder;
import io.tatami.rpc.netty.frame.Frame;
import io.tatami.rpc.netty.shared.Outbox;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A request from its arrival to its answer, on the server's side. */
final class ServerCall<R extends Message> extends RequestScope implements Responder<R>, Outbox.Entry {
    private final ServerCalls calls;
    private final int callId;
    private final String method;
    private final CallContext context;
    private final @Nullable Half stream;
    private final AtomicReference<@Nullable Object> answer = new AtomicReference<>();

    // Where its time went, in nanoseconds, in the call itself so that nothing is made for it. Those who write one after
    // the other see each other's times, since they hand the request on.
    private long queueNanos;
    private long decideNanos;
    private long logNanos;
    private long applyNanos;
    private long answeredNanos;
    private long calledNanos;
    private int callsMade;
    private long slowestNanos;
    private @Nullable String slowestMethod;
    private @Nullable SocketAddress slowestServer;

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
    ServerCall(ServerCalls calls, int callId, String method, CallContext context, @Nullable Half stream) {
        this.calls = calls;
        this.callId = callId;
        this.method = method;
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

    @Override
    public ByteString traceparent() {
        return context.options().traceparent();
    }

    @Override
    public ByteString callerContext() {
        return context.callerContext();
    }

    @Override
    public void spent(Station station, long nanos) {
        switch (station) {
            case QUEUE -> queueNanos += nanos;
            case DECIDE -> decideNanos += nanos;
            case LOG -> logNanos += nanos;
            case APPLY -> applyNanos += nanos;
        }
    }

    @Override
    public void called(String otherMethod, SocketAddress server, long tookNanos) {
        callsMade++;
        calledNanos += tookNanos;
        if (tookNanos > slowestNanos) {
            slowestNanos = tookNanos;
            slowestMethod = otherMethod;
            slowestServer = server;
        }
    }

    /**
     * Where the time of this call went, for people.
     *
     * @param nowNanos when its answer was written
     */
    String times(long nowNanos) {
        StringBuilder text = new StringBuilder("queue ").append(millis(queueNanos));
        text.append(", decide ").append(millis(decideNanos));
        text.append(", log ").append(millis(logNanos));
        text.append(", apply ").append(millis(applyNanos));
        text.append(", reply ").append(millis(answeredNanos == 0 ? 0 : nowNanos - answeredNanos));
        if (callsMade > 0) {
            text.append(", ")
                    .append(callsMade)
                    .append(" calls to other servers ")
                    .append(millis(calledNanos));
            text.append(" of which the longest was ")
                    .append(slowestMethod)
                    .append(" at ")
                    .append(slowestServer);
            text.append(' ').append(millis(slowestNanos));
        }
        return text.toString();
    }

    private static String millis(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(nanos) + " ms";
    }

    int callId() {
        return callId;
    }

    /** The method's name. */
    String method() {
        return method;
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
            answeredNanos = calls.nowNanos();
            calls.offer(this);
        }
        return first;
    }
}
