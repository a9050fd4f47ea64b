package io.tatami.block.service.write;

import io.netty.buffer.ByteBuf;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.service.memory.WrittenMemory;
import io.tatami.block.volume.ByteSource;
import io.tatami.block.volume.ScatteredBytes;
import io.tatami.client.block.SharedUnits;
import io.tatami.protocol.wire.WriteFrame;
import org.jspecify.annotations.Nullable;

/**
 * A frame of a write stream as it came: its bytes are its payload, or lie in memory that its writer shares.
 *
 * @param payload whoever has this owns a reference to it
 * @param memory what the writer shares; null for none
 */
record ArrivedFrame(
        WriteFrame frame, ByteBuf payload, @Nullable WrittenMemory memory) {
    /** What it takes of its writer's window, whatever nonsense it says of shared memory. */
    int windowBytes() {
        int announced = Math.min(SharedUnits.UNIT_BYTES, frame.getLength());
        return payload.readableBytes() + (frame.hasSharedUnit() ? Math.max(0, announced) : 0);
    }

    /** Whether it has no bytes and asks for nothing: the writer rests, and wants to hear that the chain is there. */
    boolean isEmpty() {
        return lengthBytes() == 0 && !frame.getSync() && !frame.getLast();
    }

    /** As it says; not checked. */
    int lengthBytes() {
        return frame.hasSharedUnit() ? frame.getLength() : payload.readableBytes();
    }

    /**
     * Its bytes, which are not verified.
     *
     * @throws TatamiException MALFORMED where they are said to lie where they cannot
     */
    ByteSource bytes() throws TatamiException {
        return frame.hasSharedUnit() ? required().announced(frame, payload) : ScatteredBytes.of(payload.nioBuffers());
    }

    /**
     * The frame with its bytes as payload, of which the caller owns a reference more; those in shared memory are
     * copied.
     *
     * @throws TatamiException as {@link #bytes}, and of the reading
     */
    ArrivedFrame withPayload() throws TatamiException {
        if (!frame.hasSharedUnit()) {
            payload.retain();
            return this;
        }
        ByteBuf copy = required().copy(frame, payload);
        WriteFrame alone =
                frame.toBuilder().clearSharedUnit().clearStart().clearLength().build();
        return new ArrivedFrame(alone, copy, null);
    }

    private WrittenMemory required() throws TatamiException {
        if (memory == null) {
            throw new TatamiException(ErrorCode.MALFORMED, "a frame names shared memory, but its writer shares none");
        }
        return memory;
    }
}
