package io.tatami.client.block;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.Generation;

/**
 * What a write stream begins with.
 *
 * @param generation under which bytes are written; servers refuse it below the one they have
 * @param reserveBytes room to reserve: the block size for a streaming writer, the length where it is known
 * @param neededBytes room without which a server must refuse the block: it may reserve less than {@code reserveBytes}
 *     where it has no free run as long, and tells how much
 * @param packed the length is known and short
 * @param startOffset 0 for a new block, else where to go on; an existing copy is cut to it
 * @param previousGeneration the least generation of the copies that are continued; none for a new block. At offset 0 a
 *     server without a copy begins one
 * @param precedingBytes of the blocks that the writer wrote of the file before this one; where room is short, a server
 *     reserves more for a writer that fills its blocks
 */
public record WriteSpec(
        BlockId block,
        Generation generation,
        long reserveBytes,
        long neededBytes,
        boolean packed,
        long startOffset,
        Generation previousGeneration,
        long precedingBytes) {
    /**
     * The shortest block that is worth a place of its own: one unit of the device. Shorter runs are for packed blocks.
     */
    public static final long STREAMED_BYTES_MIN = 4L << 20;

    public WriteSpec {
        Check.check(generation.isAbove(previousGeneration), "generation %s after %s", generation, previousGeneration);
        Check.check(
                startOffset >= 0 && neededBytes >= startOffset && reserveBytes >= neededBytes,
                "reserve %d bytes, %d at least, start at %d",
                reserveBytes,
                neededBytes,
                startOffset);
    }

    /** A new block of up to {@code reserveBytes}. */
    public static WriteSpec create(BlockId block, Generation generation, long reserveBytes) {
        return create(block, generation, reserveBytes, 0);
    }

    /**
     * As {@link #create(BlockId, Generation, long)}, for a writer that has written {@code precedingBytes} before it.
     */
    public static WriteSpec create(BlockId block, Generation generation, long reserveBytes, long precedingBytes) {
        long neededBytes = Math.min(reserveBytes, STREAMED_BYTES_MIN);
        return new WriteSpec(block, generation, reserveBytes, neededBytes, false, 0, Generation.NONE, precedingBytes);
    }

    /** A new block whose whole, short length is known. */
    public static WriteSpec createPacked(BlockId block, Generation generation, long lengthBytes) {
        return new WriteSpec(block, generation, lengthBytes, lengthBytes, true, 0, Generation.NONE, 0);
    }

    /** Whether no server has a copy. */
    boolean isNew() {
        return startOffset == 0 && previousGeneration.equals(Generation.NONE);
    }

    /** The same block from {@code offset} on, under a newer generation: append, or recovery from a failure. */
    public WriteSpec continuedAt(Generation newGeneration, long offset) {
        return continuedAt(newGeneration, generation, offset, neededBytes);
    }

    /**
     * As {@link #continuedAt(Generation, long)} over copies of {@code copiesGeneration}, with room for
     * {@code takenBytes}.
     */
    public WriteSpec continuedAt(Generation newGeneration, Generation copiesGeneration, long offset, long takenBytes) {
        long needed = Math.max(neededBytes, Math.max(offset, takenBytes));
        return new WriteSpec(
                block, newGeneration, reserveBytes, needed, packed, offset, copiesGeneration, precedingBytes);
    }
}
