package io.tatami.rpc.netty.client;

import com.google.protobuf.Message;
import io.netty.channel.ChannelFuture;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Method;
import io.tatami.protocol.StreamMethod;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.RequestScope;
import io.tatami.rpc.RpcStream;
import io.tatami.rpc.StreamListener;
import io.tatami.rpc.netty.shared.CallContexts;
import io.tatami.rpc.netty.shared.ChannelContext;
import java.net.SocketAddress;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** A connection as its callers see it; what happens on the event loop is in {@link ClientHandler}. */
public final class ClientConnection implements Connection {
    /** Nobody is given the connection any more. */
    private static final long RETIRED = Long.MIN_VALUE;

    private final SocketAddress peer;
    private final ChannelContext link;
    private final ClientRequests requests;
    private final DirectConnections direct;
    private final String localSocket;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** When somebody last asked for it, or {@link #RETIRED}. */
    private final AtomicLong lastAskedNanos;

    /**
     * @param direct for callers that wait
     * @param localSocket what the server offers instead of this connection; empty for nothing
     */
    ClientConnection(
            SocketAddress peer,
            ChannelContext link,
            ClientRequests requests,
            DirectConnections direct,
            String localSocket) {
        this.peer = peer;
        this.link = link;
        this.requests = requests;
        this.direct = direct;
        this.localSocket = localSocket;
        this.lastAskedNanos = new AtomicLong(link.clock().monotonicNanos());
    }

    @Override
    public SocketAddress peer() {
        return peer;
    }

    @Override
    public boolean isSameHost() {
        return CallContexts.isSameHost(link.channel());
    }

    @Override
    public UUID clusterId() {
        return direct.cluster();
    }

    String localSocket() {
        return localSocket;
    }

    public DirectConnections direct() {
        return direct;
    }

    /** Counts as use from now on; false where the connection may not be used any more. */
    public boolean use() {
        long now = link.clock().monotonicNanos();
        return isOpen() && lastAskedNanos.updateAndGet(last -> last == RETIRED ? last : now) != RETIRED;
    }

    /** Ends it where nobody asked for it for so long. Returns whether it did, after which it is to be closed. */
    public boolean retire(long idleNanos) {
        long last = lastAskedNanos.get();
        return last != RETIRED
                && link.clock().monotonicNanos() - last > idleNanos
                && lastAskedNanos.compareAndSet(last, RETIRED);
    }

    /** The connection has ended, and every call on it. */
    void lost() {
        direct.close();
        closed.complete(null);
    }

    @Override
    public boolean isCrowded() {
        return requests.isCrowded();
    }

    @Override
    public boolean isOpen() {
        return !closed.isDone() && link.channel().isActive();
    }

    @Override
    public CompletableFuture<Void> closed() {
        return closed;
    }

    @Override
    public <Q extends Message, R extends Message> CompletableFuture<R> call(
            Method<Q, R> method, CallOptions options, Q body) {
        if (!requests.permits().tryAcquire()) {
            return CompletableFuture.failedFuture(tooMany());
        }
        return admitted(method, options, body);
    }

    @Override
    public <Q extends Message, R extends Message> R callAndWait(Method<Q, R> method, CallOptions options, Q body)
            throws TatamiException {
        Check.check(!link.channel().eventLoop().inEventLoop(), "an event loop must not wait for itself");
        DirectConnections.Line line = direct.line(options);
        DirectConnection own = line.take();
        if (own == null) {
            return sharedCall(method, options, body);
        }
        try {
            return own.call(method, options, body);
        } finally {
            line.giveBack(own);
        }
    }

    private <Q extends Message, R extends Message> R sharedCall(Method<Q, R> method, CallOptions options, Q body)
            throws TatamiException {
        CompletableFuture<R> future = null;
        try {
            CallOptions left = awaitPermit(options);
            future = admitted(method, left, body);
            return future.get();
        } catch (InterruptedException e) {
            if (future != null) {
                future.cancel(true);
            }
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.CANCELLED, "interrupted while waiting for " + method, e);
        } catch (ExecutionException e) {
            throw rethrown(method, e);
        }
    }

    @Override
    public <Q extends Message, U extends Message, D extends Message, R extends Message> RpcStream<U> openStream(
            StreamMethod<Q, U, D, R> method, CallOptions options, Q body, StreamListener<D, R> listener) {
        ClientStream<U, D, R> stream = new ClientStream<>(method, listener, link);
        if (requests.permits().tryAcquire()) {
            PendingRequest request = pending(stream, method.number(), traced(options, RequestScope.current()), body);
            stream.begin(request);
            link.outbox().offer(request);
        } else {
            stream.failed(tooMany());
        }
        return stream;
    }

    @Override
    public void close() {
        ChannelFuture unused = link.channel().close();
    }

    private <Q extends Message, R extends Message> CompletableFuture<R> admitted(
            Method<Q, R> method, CallOptions options, Q body) {
        RequestScope scope = RequestScope.current();
        ClientCall<R> call =
                new ClientCall<>(method, scope == null ? null : new CallInScope(scope, peer, link.clock()));
        PendingRequest request = pending(call, method.number(), traced(options, scope), body);
        call.begin(request);
        link.outbox().offer(request);
        return call;
    }

    /** What a server asks of another while it serves a request belongs to that request's trace. */
    private static CallOptions traced(CallOptions options, @Nullable RequestScope scope) {
        return scope == null || !options.traceparent().isEmpty()
                ? options
                : options.withTraceparent(scope.traceparent());
    }

    private PendingRequest pending(PendingRequest.Waiter waiter, int methodNumber, CallOptions options, Message body) {
        long deadlineNanos = link.clock().monotonicNanos() + TimeUnit.MILLISECONDS.toNanos(options.timeoutMillis());
        return new PendingRequest(requests, waiter, methodNumber, options, body, deadlineNanos);
    }

    /** Waits for a permit; the options with what is left of the time. */
    private CallOptions awaitPermit(CallOptions options) throws TatamiException, InterruptedException {
        Semaphore permits = requests.permits();
        if (permits.tryAcquire()) {
            return options;
        }
        if (options.timeoutMillis() == 0) {
            permits.acquire();
            return options;
        }
        long begunNanos = link.clock().monotonicNanos();
        if (!permits.tryAcquire(options.timeoutMillis(), TimeUnit.MILLISECONDS)) {
            throw new TatamiException(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "the queue of requests stayed full for " + options.timeoutMillis() + " ms");
        }
        long waitedMillis = TimeUnit.NANOSECONDS.toMillis(link.clock().monotonicNanos() - begunNanos);
        return options.withTimeoutMillis(Math.max(1, options.timeoutMillis() - waitedMillis));
    }

    private TatamiException tooMany() {
        return new TatamiException(ErrorCode.BUSY, "too many requests are queued for " + peer);
    }

    /** The failure with the caller's stack, which says more than the event loop's. */
    private static TatamiException rethrown(Method<?, ?> method, ExecutionException failure) {
        Throwable cause = failure.getCause();
        if (cause instanceof TatamiException known) {
            return known.again();
        }
        throw new IllegalStateException(method + " failed in a way that calls do not", failure);
    }
}
