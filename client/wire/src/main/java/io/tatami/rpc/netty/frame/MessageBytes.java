package io.tatami.rpc.netty.frame;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * Protobuf messages in and out of Netty's buffers. Protobuf is fastest on arrays, so small messages pass through an
 * array that each thread keeps; large ones are read and written in place.
 */
final class MessageBytes {
    private static final int SCRATCH_BYTES = 16 << 10;

    private static final FastThreadLocal<byte[]> SCRATCH = new FastThreadLocal<>() {
        @Override
        protected byte[] initialValue() {
            return new byte[SCRATCH_BYTES];
        }
    };

    private MessageBytes() {}

    /** @throws TatamiException MALFORMED */
    static <M extends Message> M parse(Parser<M> parser, ByteBuf buffer, int index, int bytes) throws TatamiException {
        try {
            if (bytes <= SCRATCH_BYTES) {
                byte[] scratch = SCRATCH.get();
                buffer.getBytes(index, scratch, 0, bytes);
                return parser.parseFrom(scratch, 0, bytes);
            }
            return parser.parseFrom(CodedInputStream.newInstance(buffer.nioBuffer(index, bytes)));
        } catch (InvalidProtocolBufferException e) {
            throw new TatamiException(ErrorCode.MALFORMED, "a message cannot be parsed: " + e.getMessage(), e);
        }
    }

    /** Appends a message; the buffer has room for {@code bytes}, which is the message's size. */
    static void append(Message message, int bytes, ByteBuf buffer) {
        try {
            if (bytes <= SCRATCH_BYTES) {
                byte[] scratch = SCRATCH.get();
                message.writeTo(CodedOutputStream.newInstance(scratch, 0, bytes));
                buffer.writeBytes(scratch, 0, bytes);
                return;
            }
            CodedOutputStream out = CodedOutputStream.newInstance(buffer.nioBuffer(buffer.writerIndex(), bytes));
            message.writeTo(out);
            out.flush();
            buffer.writerIndex(buffer.writerIndex() + bytes);
        } catch (IOException e) {
            throw new UncheckedIOException("a message does not fit into the size it named", e);
        }
    }
}
