package io.tatami.meta.service;

import com.google.protobuf.Message;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import java.util.concurrent.CompletableFuture;

/** GroupPeers none of which is to be called, and a map that names none; a test overrides those that it has. */
public interface NoPeers extends GroupPeers {
    @Override
    default <Q extends Message, R extends Message> CompletableFuture<R> call(
            GroupId to, Method<Q, R> method, Q body, long timeoutMillis) {
        throw new UnsupportedOperationException(String.valueOf(to));
    }

    @Override
    default <Q extends Message, R extends Message> CompletableFuture<R> callBlockServer(
            ServerId to, Method<Q, R> method, Q body) {
        throw new UnsupportedOperationException(String.valueOf(to));
    }

    @Override
    default <Q extends Message, R extends Message> CompletableFuture<R> callMetadataServer(
            Endpoint to, Method<Q, R> method, Q body, long timeoutMillis) {
        throw new UnsupportedOperationException(String.valueOf(to));
    }

    @Override
    default ClusterMap map() {
        return ClusterMap.getDefaultInstance();
    }
}
