package io.tatami.rpc;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.tatami.base.TatamiException;

/**
 * Hears what the server sends on a stream. All methods are called on the connection's event loop, one at a time, and
 * must not block; exactly one of {@link #onFinished} and {@link #onFailed} is the last.
 */
public interface StreamListener<D extends Message, R extends Message> {
    /**
     * @param payload ownership passes to the listener, who must release it; may be empty, may be made of several parts
     */
    void onMessage(D message, ByteBuf payload);

    void onFinished(R reply);

    void onFailed(TatamiException failure);
}
