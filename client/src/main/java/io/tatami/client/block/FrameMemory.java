package io.tatami.client.block;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.tatami.base.Check;
import io.tatami.protocol.BlockPayload;
import java.util.ArrayList;
import java.util.List;

/**
 * The memory of one stream's whole frames. A buffer is used again once nobody else holds it: fresh memory has to be
 * cleared by the system first, which costs as much as filling it, and a few buffers used in turn stay in the processor's
 * cache. Used by one thread; whoever is given a buffer may let go of it on any.
 */
final class FrameMemory {
    private final ByteBufAllocator allocator;
    private final int buffersMax;

    /** One reference to each is held here. */
    private final List<ByteBuf> buffers = new ArrayList<>();

    /** @param buffersMax how many are kept; those beyond are as if there were no memory */
    FrameMemory(ByteBufAllocator allocator, int buffersMax) {
        this.allocator = allocator;
        this.buffersMax = buffersMax;
    }

    /** An empty buffer for exactly {@code roomBytes}; the caller owns a reference to it. */
    ByteBuf take(int roomBytes) {
        Check.check(roomBytes <= BlockPayload.BYTES_MAX, "a frame of %d bytes", roomBytes);
        if (roomBytes < BlockPayload.BYTES_MAX) {
            return allocator.directBuffer(roomBytes, roomBytes);
        }
        for (ByteBuf buffer : buffers) {
            if (buffer.refCnt() == 1) {
                return buffer.clear().retain();
            }
        }
        ByteBuf fresh = allocator.directBuffer(roomBytes, roomBytes);
        if (buffers.size() < buffersMax) {
            buffers.add(fresh.retain());
        }
        return fresh;
    }

    /** Lets go of all; what others hold goes back to the allocator with their last reference. */
    void release() {
        for (ByteBuf buffer : buffers) {
            buffer.release();
        }
        buffers.clear();
    }
}
