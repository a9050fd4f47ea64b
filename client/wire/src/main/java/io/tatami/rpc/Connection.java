package io.tatami.rpc;

import com.google.protobuf.Message;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Method;
import io.tatami.protocol.StreamMethod;
import java.net.SocketAddress;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * A client's connection to one server, shared by many threads. Requests of {@link #call} and streams are sent in the
 * order in which they are made; replies come in any order.
 *
 * <p>At most 1,024 requests (or what the server asked for, if fewer) are in flight; further ones wait in a queue whose
 * length is a setting, and with the queue full {@link #call} fails with BUSY while {@link #callAndWait} waits.
 *
 * <p>Futures and listeners are completed on the connection's event loop: what hangs on them must not block.
 */
public interface Connection {
    SocketAddress peer();

    /** Whether the server runs on this host, as far as addresses tell; its files may be out of sight all the same. */
    boolean isSameHost();

    /** The cluster that the server said it belongs to. */
    UUID clusterId();

    /**
     * Whether at least half as many requests and streams are under way as may be in flight: one more stream, which may
     * stay for hours, is better opened on another connection, as it would let others wait.
     */
    boolean isCrowded();

    /** False from the moment the connection is lost or closed; a new one comes from the {@link Connector}. */
    boolean isOpen();

    /** Completes, never exceptionally, when the connection is lost or closed, after every call in flight has failed. */
    CompletableFuture<Void> closed();

    /**
     * Sends a request. The future fails with a {@link TatamiException}: the code of the reply; UNAVAILABLE when the
     * connection was lost, whether or not the server did the request; DEADLINE_EXCEEDED when the time of
     * {@code options} is over; BUSY when too many requests wait. Cancelling the future tells the server that nobody
     * waits.
     */
    <Q extends Message, R extends Message> CompletableFuture<R> call(Method<Q, R> method, CallOptions options, Q body);

    /**
     * {@link #call} for threads that may block: waits for a place in the queue, then for the reply. May use a socket of
     * the caller's own meanwhile, so that it is done before or after what this thread asked by {@link #call}. Must not
     * be called on an event loop.
     *
     * @throws TatamiException as {@link #call}; CANCELLED, with the thread's interrupt flag set again, on an interrupt
     */
    <Q extends Message, R extends Message> R callAndWait(Method<Q, R> method, CallOptions options, Q body)
            throws TatamiException;

    /**
     * Opens a stream. The returned end can be sent to at once. Exactly one of the listener's two ends is called,
     * possibly before this method returns; on failure as with {@link #call}.
     */
    <Q extends Message, U extends Message, D extends Message, R extends Message> RpcStream<U> openStream(
            StreamMethod<Q, U, D, R> method, CallOptions options, Q body, StreamListener<D, R> listener);

    /** Closes at once; calls in flight fail with UNAVAILABLE. Does nothing the second time. */
    void close();
}
