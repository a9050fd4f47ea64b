package io.tatami.rpc.netty.server;

import com.google.protobuf.Message;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.wire.ReplyHeader;
import io.tatami.rpc.RequestObserver;
import io.tatami.rpc.netty.shared.ChannelContext;
import io.tatami.rpc.netty.shared.ReplyErrors;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The requests in flight on one connection of a server. Answers come from any thread by {@link #offer}; all else is
 * owned by the connection's event loop.
 */
final class ServerCalls {
    private final ChannelContext link;
    private final int inflightMax;
    private final ReadGate readGate;
    private final Runnable onEmpty;
    private final RequestObserver observer;
    private final SlowRequests slow;
    private final IntObjectMap<ServerCall<?>> inflight = new IntObjectHashMap<>();
    private int streams;

    /**
     * @param onEmpty run when the last request in flight was answered
     * @param observer told of each request that was begun, once it has ended
     * @param slow told of the same
     */
    ServerCalls(
            ChannelContext link,
            int inflightMax,
            ReadGate readGate,
            Runnable onEmpty,
            RequestObserver observer,
            SlowRequests slow) {
        this.slow = slow;
        this.observer = observer;
        this.link = link;
        this.inflightMax = inflightMax;
        this.readGate = readGate;
        this.onEmpty = onEmpty;
    }

    long nowNanos() {
        return link.clock().monotonicNanos();
    }

    void offer(ServerCall<?> call) {
        link.outbox().offer(call);
    }

    boolean isEmpty() {
        return inflight.isEmpty();
    }

    boolean hasStreams() {
        return streams > 0;
    }

    /**
     * Whether as many are in flight as a client may have. Only beyond that is the connection not read: a client at its
     * limit must still be able to cancel, and to send on its streams.
     */
    boolean isFull() {
        return inflight.size() >= inflightMax;
    }

    @Nullable
    ServerCall<?> get(int callId) {
        return inflight.get(callId);
    }

    /** @throws TatamiException MALFORMED when the client uses a call id twice */
    void begin(ServerCall<?> call) throws TatamiException {
        if (inflight.containsKey(call.callId())) {
            throw new TatamiException(
                    ErrorCode.MALFORMED,
                    "call id " + Integer.toUnsignedString(call.callId()) + " is already in use by a request in flight");
        }
        inflight.put(call.callId(), call);
        if (call.stream() != null) {
            streams++;
        }
        readGate.full(inflight.size() > inflightMax);
    }

    /** Writes an answer, unless nobody waits for it any more. */
    void answer(ServerCall<?> call, Message reply) {
        if (inflight.get(call.callId()) != call) {
            return;
        }
        ErrorCode failure = null;
        try {
            link.outbox().write(FrameKind.REPLY, call.callId(), ReplyHeader.getDefaultInstance(), reply);
        } catch (TatamiException e) {
            refuse(call.callId(), e);
            failure = e.code();
        }
        answered(call, failure);
    }

    /** Writes a failure, unless nobody waits for it any more. */
    void answer(ServerCall<?> call, TatamiException failure) {
        if (inflight.get(call.callId()) == call) {
            refuse(call.callId(), failure);
            answered(call, failure.code());
        }
    }

    /** Writes a failure to a request that was not begun. */
    void refuse(int callId, TatamiException failure) {
        link.outbox().writeShort(FrameKind.REPLY, callId, ReplyErrors.header(failure), null);
    }

    /** Forgets a request whose client does not wait any more. */
    void cancel(int callId, TatamiException reason) {
        ServerCall<?> call = inflight.get(callId);
        if (call != null) {
            remove(call);
            ServerCall.Half stream = call.stream();
            if (stream != null) {
                stream.cancelled(reason);
            }
            observe(call, reason.code());
        }
    }

    void cancelAll(TatamiException reason) {
        for (ServerCall<?> call : new ArrayList<>(inflight.values())) {
            cancel(call.callId(), reason);
        }
    }

    /** Ends the streams that {@code which} picks, and tells their clients. Calls are left to their answers. */
    void endStreams(Predicate<ServerCall<?>> which, TatamiException reason) {
        if (!hasStreams()) {
            return;
        }
        List<ServerCall<?>> ending = inflight.values().stream()
                .filter(call -> call.stream() != null && which.test(call))
                .toList();
        for (ServerCall<?> call : ending) {
            refuse(call.callId(), reason);
            cancel(call.callId(), reason);
        }
    }

    private void observe(ServerCall<?> call, @Nullable ErrorCode failure) {
        long nowNanos = nowNanos();
        long tookNanos = nowNanos - call.context().arrivalNanos();
        if (call.stream() == null) {
            observer.answered(call.method(), tookNanos, failure);
            slow.ended(call, nowNanos, tookNanos);
        } else {
            observer.ended(call.method(), tookNanos, failure);
        }
    }

    private void answered(ServerCall<?> call, @Nullable ErrorCode failure) {
        remove(call);
        observe(call, failure);
        ServerCall.Half stream = call.stream();
        if (stream != null) {
            stream.answered();
        }
    }

    private void remove(ServerCall<?> call) {
        inflight.remove(call.callId());
        if (call.stream() != null) {
            streams--;
        }
        readGate.full(inflight.size() > inflightMax);
        if (inflight.isEmpty()) {
            onEmpty.run();
        }
    }
}
