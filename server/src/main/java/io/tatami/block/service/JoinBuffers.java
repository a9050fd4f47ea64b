package io.tatami.block.service;

import io.netty.buffer.ByteBuf;
import io.tatami.protocol.BlockPayload;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * Puts together payloads that came off the network in parts. Its buffers are kept for good, one for each worker that ever
 * joined at the same time as others; fresh memory would have to be cleared each time, which costs more than the copy.
 */
final class JoinBuffers {
    private final ConcurrentLinkedDeque<ByteBuffer> free = new ConcurrentLinkedDeque<>();

    /** A buffer with the readable bytes of {@code payload}, which is the caller's until {@link #giveBack}. */
    ByteBuffer join(ByteBuf payload) {
        ByteBuffer buffer = free.poll();
        if (buffer == null) {
            buffer = ByteBuffer.allocateDirect(BlockPayload.BYTES_MAX);
        }
        buffer.clear().limit(payload.readableBytes());
        payload.getBytes(payload.readerIndex(), buffer);
        return buffer.flip();
    }

    void giveBack(ByteBuffer buffer) {
        free.push(buffer);
    }
}
