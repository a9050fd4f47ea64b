package io.tatami.rpc;

import java.net.SocketAddress;
import java.util.concurrent.CompletableFuture;

/** Where connections come from: sockets in production, a simulated network in tests. Safe for use by many threads. */
public interface Connector extends AutoCloseable {
    /**
     * The connection to {@code address} on {@code lane}: the one there is while it is open, else a new one, which is
     * ready when the future completes (handshake included). Many callers may ask at once and share one attempt. The
     * future fails with a {@link io.tatami.base.TatamiException}: UNAVAILABLE, PROTOCOL_VERSION, WRONG_CLUSTER,
     * UNAUTHENTICATED or MALFORMED; a later call tries anew.
     */
    CompletableFuture<Connection> connect(SocketAddress address, Lane lane);

    /** {@link #connect(SocketAddress, Lane)} on the lane that calls share. */
    default CompletableFuture<Connection> connect(SocketAddress address) {
        return connect(address, Lane.CONTROL);
    }

    /** Closes every connection; calls in flight fail with UNAVAILABLE. Does nothing the second time. */
    @Override
    void close();
}
