package io.tatami.client.block;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.tatami.protocol.BlockPayload;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The memory that a writer shares with its server, cut into pieces for one frame each. A piece is free when nobody
 * holds a reference to the buffer that was taken of it. Used by one thread; whoever is given a buffer may let go of it
 * on any.
 */
final class WrittenUnits {
    /** In their order; one reference to each is held here. */
    private final List<ByteBuf> pieces = new ArrayList<>();

    /** @param memory whole units; stays mapped as long as buffers of it are held */
    WrittenUnits(ByteBuffer memory) {
        for (int index = 0; index < memory.capacity(); index += BlockPayload.BYTES_MAX) {
            pieces.add(Unpooled.wrappedBuffer(memory.slice(index, BlockPayload.BYTES_MAX)));
        }
    }

    /** An empty buffer for exactly {@code roomBytes}, or null where no piece is free. */
    @Nullable
    FrameBuffer take(int roomBytes) {
        for (int piece = 0; piece < pieces.size(); piece++) {
            ByteBuf memory = pieces.get(piece);
            if (memory.refCnt() == 1) {
                ByteBuf bytes = memory.retainedSlice(0, roomBytes).clear();
                return new FrameBuffer(bytes, piece * BlockPayload.BYTES_MAX);
            }
        }
        return null;
    }

    /** Whether nobody holds a buffer of it. */
    boolean isFree() {
        return pieces.stream().allMatch(piece -> piece.refCnt() == 1);
    }
}
