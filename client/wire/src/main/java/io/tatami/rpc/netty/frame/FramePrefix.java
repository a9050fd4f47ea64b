package io.tatami.rpc.netty.frame;

import io.netty.buffer.ByteBuf;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameFormat;
import io.tatami.protocol.FrameKind;
import java.nio.ByteBuffer;

/**
 * The fixed part of a frame that arrives, checked against {@link FrameFormat}.
 *
 * @param contentBytes header, body and payload together
 */
public record FramePrefix(FrameKind kind, int callId, int headerBytes, int bodyBytes, int contentBytes) {
    /**
     * Reads a prefix.
     *
     * @param bytes {@link FrameFormat#PREFIX_BYTES} from index 0 on, whatever its position
     * @throws TatamiException MALFORMED
     */
    public static FramePrefix parse(ByteBuffer bytes, int frameBytesMax) throws TatamiException {
        long length = Integer.toUnsignedLong(bytes.getInt(FrameFormat.LENGTH_OFFSET));
        if (length < FrameFormat.LENGTH_MIN) {
            throw malformed("a frame of length " + length + " is shorter than its prefix");
        }
        if (length + Integer.BYTES > frameBytesMax) {
            throw malformed("a frame of length " + length + " is above the limit of " + frameBytesMax + " bytes");
        }
        FrameKind kind = FrameKind.ofNumber(bytes.get(FrameFormat.KIND_OFFSET));
        if (kind == null) {
            throw malformed("unknown frame kind " + bytes.get(FrameFormat.KIND_OFFSET));
        }
        if (bytes.get(FrameFormat.FLAGS_OFFSET) != 0 || bytes.getShort(FrameFormat.ZERO_OFFSET) != 0) {
            throw malformed("a frame has unknown flags");
        }
        long content = length - FrameFormat.LENGTH_MIN;
        long header = Integer.toUnsignedLong(bytes.getInt(FrameFormat.HEADER_LENGTH_OFFSET));
        long body = Integer.toUnsignedLong(bytes.getInt(FrameFormat.BODY_LENGTH_OFFSET));
        if (header > FrameFormat.MESSAGE_BYTES_MAX || body > FrameFormat.MESSAGE_BYTES_MAX || header + body > content) {
            throw malformed("a header of " + header + " and a body of " + body + " bytes are too long for a frame of "
                    + content + " bytes");
        }
        if (kind != FrameKind.DATA && header + body < content) {
            throw malformed("a frame of kind " + kind + " has a payload");
        }
        return new FramePrefix(kind, bytes.getInt(FrameFormat.CALL_ID_OFFSET), (int) header, (int) body, (int) content);
    }

    /** The frame, whose content is its buffer's readable bytes. */
    public Frame frame(ByteBuf content, long arrivalNanos) {
        return new Frame(kind, callId, headerBytes, bodyBytes, arrivalNanos, content);
    }

    private static TatamiException malformed(String reason) {
        return new TatamiException(ErrorCode.MALFORMED, reason);
    }
}
