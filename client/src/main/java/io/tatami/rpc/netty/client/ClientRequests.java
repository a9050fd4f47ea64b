package io.tatami.rpc.netty.client;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.wire.Goodbye;
import io.tatami.protocol.wire.RequestHeader;
import io.tatami.rpc.netty.shared.Outbox;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one client connection: those in flight by their call ids, and those that wait, first come first
 * served, until fewer are in flight. Owned by the connection's event loop, but for the permits.
 */
final class ClientRequests {
    private static final Goodbye NOBODY_WAITS = Goodbye.newBuilder()
            .setError(ErrorCode.CANCELLED.number())
            .setMessage("nobody waits for the reply")
            .build();

    private final Outbox outbox;
    private final Clock clock;
    private final Semaphore permits;
    private final int permitsMax;
    private final Runnable onBusy;
    private final IntObjectMap<PendingRequest> inflight = new IntObjectHashMap<>();
    private final ArrayDeque<PendingRequest> waiting = new ArrayDeque<>();
    /** Set by the event loop alone. */
    private volatile int inflightMax;

    private int lastCallId;
    private NegotiatedProtocol agreement = NegotiatedProtocol.NONE;
    private TatamiException lost = new TatamiException(ErrorCode.UNAVAILABLE, "the connection is closed");

    /** @param onBusy run on the event loop whenever a request comes, so that somebody calls {@link #expire} */
    ClientRequests(Outbox outbox, RpcSettings settings, Clock clock, Runnable onBusy) {
        this.onBusy = onBusy;
        this.outbox = outbox;
        this.clock = clock;
        this.inflightMax = settings.inflightRequestsMax();
        this.permitsMax = settings.inflightRequestsMax() + settings.waitingRequestsMax();
        this.permits = new Semaphore(permitsMax);
    }

    /** One for every request between its call and its end; safe for use by many threads. */
    Semaphore permits() {
        return permits;
    }

    /** {@link io.tatami.rpc.Connection#isCrowded}, for any thread. */
    boolean isCrowded() {
        return permitsMax - permits.availablePermits() >= Math.max(1, inflightMax / 2);
    }

    /** What the handshake agreed on. */
    void agree(NegotiatedProtocol made, int serversInflightMax) {
        agreement = made;
        inflightMax = Math.max(1, Math.min(inflightMax, serversInflightMax));
    }

    boolean isEmpty() {
        return inflight.isEmpty() && waiting.isEmpty();
    }

    @Nullable
    PendingRequest get(int callId) {
        return inflight.get(callId);
    }

    /** Sends it, or lets it wait. */
    void submit(PendingRequest request) {
        if (inflight.size() >= inflightMax) {
            waiting.add(request);
        } else {
            send(request);
        }
        onBusy.run();
    }

    /** Takes a request that has its reply out of flight, and sends one that waits. */
    void finish(PendingRequest request) {
        inflight.remove(request.callId());
        permits.release();
        while (!waiting.isEmpty() && inflight.size() < inflightMax) {
            send(waiting.remove());
        }
    }

    /** {@link #abandon} from any thread. */
    void offerAbandon(PendingRequest request, TatamiException reason) {
        outbox.offer(new Outbox.Entry() {
            @Override
            public void write() {
                abandon(request, reason);
            }

            @Override
            public void discard() {
                // The request has ended with its connection.
            }
        });
    }

    /** Ends a request that has not ended yet, and tells the server if it knows of it. */
    void abandon(PendingRequest request, TatamiException reason) {
        if (inflight.get(request.callId()) == request) {
            writeCancel(request.callId());
            finish(request);
        } else if (waiting.remove(request)) {
            permits.release();
        } else {
            return;
        }
        request.waiter().failed(reason);
    }

    /** Ends the requests whose time is over. */
    void expire() {
        long now = clock.monotonicNanos();
        List<PendingRequest> expired = new ArrayList<>();
        for (PendingRequest request : inflight.values()) {
            if (request.isExpired(now)) {
                expired.add(request);
            }
        }
        for (PendingRequest request : waiting) {
            if (request.isExpired(now)) {
                expired.add(request);
            }
        }
        expired.forEach(request -> abandon(request, overdue(request)));
    }

    /** Ends all requests, and from here on those that come. */
    void failAll(TatamiException reason) {
        lost = reason;
        List<PendingRequest> all = new ArrayList<>(inflight.values());
        all.addAll(waiting);
        inflight.clear();
        waiting.clear();
        all.forEach(this::discard);
    }

    /** Ends a request that is not in flight. */
    void discard(PendingRequest request) {
        permits.release();
        request.waiter().failed(lost);
    }

    private void send(PendingRequest request) {
        long now = clock.monotonicNanos();
        if (request.isExpired(now)) {
            permits.release();
            request.waiter().failed(overdue(request));
            return;
        }
        int callId = nextCallId();
        long remainingMillis = TimeUnit.NANOSECONDS.toMillis(request.remainingNanos(now));
        RequestHeader header = agreement.header(request.options(), request.methodNumber(), remainingMillis);
        try {
            outbox.write(FrameKind.REQUEST, callId, header, request.takeBody(callId));
        } catch (TatamiException e) {
            permits.release();
            request.waiter().failed(e);
            return;
        }
        inflight.put(callId, request);
        request.waiter().sent(callId);
    }

    private int nextCallId() {
        do {
            lastCallId++;
        } while (lastCallId == 0 || inflight.containsKey(lastCallId));
        return lastCallId;
    }

    private void writeCancel(int callId) {
        outbox.writeShort(FrameKind.CANCEL, callId, null, NOBODY_WAITS);
    }

    private static TatamiException overdue(PendingRequest request) {
        return new TatamiException(
                ErrorCode.DEADLINE_EXCEEDED,
                "no reply within " + request.options().timeoutMillis() + " ms");
    }
}
