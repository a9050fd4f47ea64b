package io.tatami.rpc;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.tatami.base.TatamiException;

/** Of a stream that was answered before it was opened: what still comes is dropped. */
final class RefusedStream<U extends Message> implements StreamReceiver<U> {
    @Override
    public void onMessage(U message, ByteBuf payload) {
        payload.release();
    }

    @Override
    public void onCancelled(TatamiException reason) {}
}
