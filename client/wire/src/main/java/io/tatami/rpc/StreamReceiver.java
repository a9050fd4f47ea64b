package io.tatami.rpc;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.tatami.base.TatamiException;

/**
 * Hears what the client sends on one stream; called on the connection's event loop, one call at a time, and must not
 * block. Nothing is called after the stream was answered.
 */
public interface StreamReceiver<U extends Message> {
    /**
     * @param payload ownership passes to the receiver, who must release it; may be empty, may be made of several parts
     */
    void onMessage(U message, ByteBuf payload);

    /** Nobody waits for the answer any more: the client cancelled, its time is over, or the connection was lost. */
    void onCancelled(TatamiException reason);
}
