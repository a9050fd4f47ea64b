package io.tatami.block.service.context;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.tatami.base.TatamiException;
import io.tatami.rpc.StreamReceiver;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Drops the rest of a stream that was answered at once. */
public final class AnsweredStream<U extends Message> implements StreamReceiver<U> {
    private static final Logger LOG = LoggerFactory.getLogger(AnsweredStream.class);

    @Override
    public void onMessage(U message, ByteBuf payload) {
        payload.release();
    }

    @Override
    public void onCancelled(TatamiException reason) {
        LOG.debug("a refused stream was cancelled", reason);
    }
}
