package io.tatami.client.block;

import io.netty.buffer.ByteBuf;

/**
 * Memory for the payload of one frame.
 *
 * @param bytes whoever has this owns a reference to it
 * @param sharedIndex where in the memory that is shared with the server the bytes begin; {@link #NOT_SHARED} elsewhere
 */
record FrameBuffer(ByteBuf bytes, int sharedIndex) {
    static final int NOT_SHARED = -1;

    static FrameBuffer own(ByteBuf bytes) {
        return new FrameBuffer(bytes, NOT_SHARED);
    }

    boolean isShared() {
        return sharedIndex != NOT_SHARED;
    }
}
