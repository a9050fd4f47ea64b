package io.tatami.meta.service;

import com.google.protobuf.Message;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import java.util.concurrent.CompletableFuture;

/**
 * Calls to other groups and to block servers, always as messages over a connection, also within one process. Made in
 * the name of the service, which groups trust as they trust each other. Safe for use by many threads.
 *
 * <p>Retryable failures and lost connections are retried with rising pauses until the time is over; then the future
 * fails with the last of them. All other failures are passed on. Methods called here must be idempotent. Futures
 * complete on an event loop: what hangs on them must not block.
 */
public interface GroupPeers {
    /** What a call waits where nothing else is said. */
    long TIMEOUT_MILLIS_DEFAULT = 10_000;

    <Q extends Message, R extends Message> CompletableFuture<R> call(
            GroupId to, Method<Q, R> method, Q body, long timeoutMillis);

    default <Q extends Message, R extends Message> CompletableFuture<R> call(GroupId to, Method<Q, R> method, Q body) {
        return call(to, method, body, TIMEOUT_MILLIS_DEFAULT);
    }

    /** UNAVAILABLE at once where the cluster map knows no such server or says that it is dead. */
    <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
            ServerId to, Method<Q, R> method, Q body);

    /** To one metadata server, whatever groups it leads; the method concerns none. */
    <Q extends Message, R extends Message> CompletableFuture<R> callMetadataServer(
            Endpoint to, Method<Q, R> method, Q body, long timeoutMillis);

    /**
     * Whether the host of a server answers that nobody listens there. False where that is not known: one that does not
     * answer may be behind a link that is cut. Never fails.
     */
    default CompletableFuture<Boolean> refusesConnections(Endpoint server) {
        return CompletableFuture.completedFuture(false);
    }

    /** The newest cluster map this process has. */
    ClusterMap map();

    /**
     * How long ago the namespace group was asked for that map, in milliseconds; {@link Long#MAX_VALUE} where that is
     * not known. A map that it was told of without asking is newer than that says.
     */
    default long mapAgeMillis() {
        return Long.MAX_VALUE;
    }
}
