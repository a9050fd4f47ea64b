package io.tatami.rpc.netty.shared;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Collects the content of one frame that arrives in several reads. Large parts are kept as slices of the buffers they
 * were read into; small ones are copied together, so that a peer that sends byte by byte does not pin a whole receive
 * buffer with each. Owned by one event loop.
 */
final class FrameAssembly {
    private static final int SLICE_BYTES_MIN = 16 << 10;
    private static final int TAIL_BYTES_MAX = 64 << 10;

    private final ByteBufAllocator allocator;
    private int missingBytes;
    private @Nullable CompositeByteBuf parts;
    private @Nullable ByteBuf tail;

    FrameAssembly(ByteBufAllocator allocator, int contentBytes) {
        this.allocator = allocator;
        this.missingBytes = contentBytes;
    }

    /** Takes what it needs from {@code input}, which stays the caller's; true when the content is complete. */
    boolean take(ByteBuf input) {
        int bytes = Math.min(input.readableBytes(), missingBytes);
        if (bytes >= SLICE_BYTES_MIN) {
            sealTail();
            parts().addComponent(true, input.readRetainedSlice(bytes));
            missingBytes -= bytes;
        } else {
            copy(input, bytes);
        }
        return missingBytes == 0;
    }

    /** The complete content; ownership passes. */
    ByteBuf finish() {
        if (parts == null && tail != null) {
            return tail;
        }
        sealTail();
        return parts();
    }

    void release() {
        if (tail != null) {
            tail.release();
        }
        if (parts != null) {
            parts.release();
        }
    }

    private void copy(ByteBuf input, int bytes) {
        int left = bytes;
        while (left > 0) {
            if (tail == null) {
                int capacity = Math.min(missingBytes, TAIL_BYTES_MAX);
                tail = ConnectionMemory.forContent(allocator, capacity);
            }
            int fits = Math.min(left, tail.writableBytes());
            tail.writeBytes(input, fits);
            left -= fits;
            missingBytes -= fits;
            if (!tail.isWritable() && missingBytes > 0) {
                sealTail();
            }
        }
    }

    private void sealTail() {
        if (tail != null) {
            parts().addComponent(true, tail);
            tail = null;
        }
    }

    private CompositeByteBuf parts() {
        if (parts == null) {
            parts = allocator.compositeDirectBuffer(Integer.MAX_VALUE);
        }
        return parts;
    }
}
