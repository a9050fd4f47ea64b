package io.tatami.rpc.netty.frame;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameFormat;
import io.tatami.protocol.FrameKind;
import org.jspecify.annotations.Nullable;

/**
 * A frame to be written.
 *
 * @param payloadBytes are written by others, behind it
 */
public record OutgoingFrame(
        FrameKind kind,
        int callId,
        @Nullable Message header,
        @Nullable Message body,
        int payloadBytes) {
    /**
     * How many bytes it takes without its payload.
     *
     * @throws TatamiException INVALID_ARGUMENT where the peer would not take the frame
     */
    public int headBytes(int frameBytesMax) throws TatamiException {
        long frameBytes = (long) FrameFormat.PREFIX_BYTES + bytes(header) + bytes(body) + payloadBytes;
        if (Math.max(bytes(header), bytes(body)) > FrameFormat.MESSAGE_BYTES_MAX || frameBytes > frameBytesMax) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, "a message of " + frameBytes + " bytes exceeds the limit of a frame");
        }
        return (int) frameBytes - payloadBytes;
    }

    /** Appends all but the payload to a buffer that has room for it. */
    public void appendTo(ByteBuf out) {
        int headerBytes = bytes(header);
        int bodyBytes = bytes(body);
        out.writeInt(FrameFormat.LENGTH_MIN + headerBytes + bodyBytes + payloadBytes)
                .writeByte(kind.number())
                .writeByte(0)
                .writeShort(0)
                .writeInt(callId)
                .writeInt(headerBytes)
                .writeInt(bodyBytes);
        if (header != null) {
            MessageBytes.append(header, headerBytes, out);
        }
        if (body != null) {
            MessageBytes.append(body, bodyBytes, out);
        }
    }

    /** Messages remember their size. */
    private static int bytes(@Nullable Message message) {
        return message == null ? 0 : message.getSerializedSize();
    }
}
