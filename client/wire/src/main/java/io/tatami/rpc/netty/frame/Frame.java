package io.tatami.rpc.netty.frame;

import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameKind;

/**
 * A frame that arrived. Owned by the event loop that read it, which releases it after use.
 *
 * @param arrivalNanos when its last bytes were read from the socket, by the monotonic clock
 * @param content header, body and payload, one after the other
 */
public record Frame(FrameKind kind, int callId, int headerBytes, int bodyBytes, long arrivalNanos, ByteBuf content) {
    /** @throws TatamiException MALFORMED */
    public <M extends Message> M header(Parser<M> parser) throws TatamiException {
        return MessageBytes.parse(parser, content, content.readerIndex(), headerBytes);
    }

    /** @throws TatamiException MALFORMED */
    public <M extends Message> M body(Parser<M> parser) throws TatamiException {
        return MessageBytes.parse(parser, content, content.readerIndex() + headerBytes, bodyBytes);
    }

    public int payloadBytes() {
        return content.readableBytes() - headerBytes - bodyBytes;
    }

    /** The payload as a part of the content, which then lives until both are released. */
    public ByteBuf retainPayload() {
        return content.retainedSlice(content.readerIndex() + headerBytes + bodyBytes, payloadBytes());
    }

    public void release() {
        content.release();
    }
}
