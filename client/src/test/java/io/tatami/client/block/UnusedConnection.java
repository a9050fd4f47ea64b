package io.tatami.client.block;

import com.google.protobuf.Message;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Method;
import io.tatami.protocol.StreamMethod;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.RpcStream;
import io.tatami.rpc.StreamListener;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** An open connection on which nothing is to be sent; a test overrides what it plays. */
public abstract class UnusedConnection implements Connection {
    @Override
    public SocketAddress peer() {
        return InetSocketAddress.createUnresolved("script", 1);
    }

    @Override
    public boolean isSameHost() {
        return false;
    }

    @Override
    public UUID clusterId() {
        return new UUID(0, 0);
    }

    @Override
    public boolean isCrowded() {
        return false;
    }

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public CompletableFuture<Void> closed() {
        return new CompletableFuture<>();
    }

    @Override
    public <Q extends Message, R extends Message> R callAndWait(Method<Q, R> method, CallOptions options, Q body)
            throws TatamiException {
        throw new UnsupportedOperationException();
    }

    @Override
    public <Q extends Message, U extends Message, D extends Message, R extends Message> RpcStream<U> openStream(
            StreamMethod<Q, U, D, R> method, CallOptions options, Q body, StreamListener<D, R> listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
