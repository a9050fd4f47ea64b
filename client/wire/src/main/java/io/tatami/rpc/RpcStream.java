package io.tatami.rpc;

import com.google.protobuf.Message;

/** The client's side of an open stream. */
public interface RpcStream<U extends Message> extends MessageSender<U> {
    /**
     * Gives the stream up: the server is told, and the listener's {@code onFailed} is called with CANCELLED. Does
     * nothing once the stream has ended.
     */
    void cancel(String reason);
}
