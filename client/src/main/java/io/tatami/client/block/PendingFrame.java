package io.tatami.client.block;

import io.netty.buffer.ByteBuf;

/**
 * A frame that was made and not acknowledged by every server. It owns one reference to its payload, until
 * {@link #release}; not for use by two threads at once.
 */
public final class PendingFrame {
    private final long offset;
    private final FrameBuffer buffer;
    private final int[] checksums;

    /** Takes ownership of {@code buffer} and {@code checksums}. */
    PendingFrame(long offset, FrameBuffer buffer, int[] checksums) {
        this.offset = offset;
        this.buffer = buffer;
        this.checksums = checksums;
    }

    /** Where in the block it begins. */
    long offset() {
        return offset;
    }

    int lengthBytes() {
        return payload().readableBytes();
    }

    /** Where in the block it ends. */
    public long endOffset() {
        return offset + lengthBytes();
    }

    /** Gives the payload up; it goes back to its pool once the network has let go of it too. Once. */
    public void release() {
        payload().release();
    }

    /** Still owned by this frame. */
    ByteBuf payload() {
        return buffer.bytes();
    }

    FrameBuffer buffer() {
        return buffer;
    }

    int[] checksums() {
        return checksums;
    }
}
