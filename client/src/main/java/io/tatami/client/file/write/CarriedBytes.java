package io.tatami.client.file.write;

import io.tatami.base.BlockId;
import io.tatami.base.TatamiException;
import io.tatami.client.block.PendingFrame;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that were taken from the writer and that a sealed block has not: the next blocks take them, before anything
 * else. No more than a chain's window and a frame, as nothing is written to a block while there are any of one before
 * it. Used by the writer's thread.
 */
final class CarriedBytes {
    private final Deque<Part> parts = new ArrayDeque<>();

    /** What is left of one frame. */
    private static final class Part {
        private final BlockId block;
        private final PendingFrame frame;
        private final long start;

        /** Null until it is verified. */
        private @Nullable ByteBuffer left;

        Part(BlockId block, PendingFrame frame, long start) {
            this.block = block;
            this.frame = frame;
            this.start = start;
        }

        ByteBuffer left() throws TatamiException {
            ByteBuffer bytes = left;
            if (bytes == null) {
                bytes = frame.bytesFrom(block, start);
                left = bytes;
            }
            return bytes;
        }
    }

    /**
     * Puts what a block lacks before what is carried already.
     *
     * @param frames in order; owned by this from here on
     * @param start offset in the block of the first byte that it lacks
     */
    void addFirst(BlockId block, List<PendingFrame> frames, long start) {
        for (int i = frames.size() - 1; i >= 0; i--) {
            PendingFrame frame = frames.get(i);
            if (frame.endOffset() > start) {
                parts.addFirst(new Part(block, frame, start));
            } else {
                frame.release();
            }
        }
    }

    boolean isEmpty() {
        return parts.isEmpty();
    }

    /**
     * The next bytes, to be used before the next call: what is read of them is no longer carried.
     *
     * @return null where none is left
     * @throws TatamiException CORRUPT where they changed in memory since the writer gave them
     */
    @Nullable
    ByteBuffer next() throws TatamiException {
        for (Part first = parts.peek(); first != null; first = parts.peek()) {
            ByteBuffer left = first.left();
            if (left.hasRemaining()) {
                return left;
            }
            parts.remove().frame.release();
        }
        return null;
    }

    /** Gives all of it up. */
    void release() {
        parts.forEach(part -> part.frame.release());
        parts.clear();
    }
}
