package io.tatami.client.block;

import io.tatami.base.BlockId;
import io.tatami.base.Check;

/**
 * What a write stream begins with.
 *
 * @param generation under which bytes are written; servers refuse it below the one they have
 * @param reserveBytes room to reserve: the block size for a streaming writer, the length where it is known
 * @param packed the length is known and short
 * @param startOffset 0 for a new block, else where to go on; an existing copy is cut to it
 * @param previousGeneration the least generation of the copies that are continued; 0 for a new block. At offset 0 a
 *     server without a copy begins one
 */
public record WriteSpec(
        BlockId block, long generation, long reserveBytes, boolean packed, long startOffset, long previousGeneration) {
    public WriteSpec {
        Check.check(generation > previousGeneration, "generation %d after %d", generation, previousGeneration);
        Check.check(
                startOffset >= 0 && reserveBytes >= startOffset,
                "reserve %d bytes, start at %d",
                reserveBytes,
                startOffset);
    }

    /** A new block of up to {@code reserveBytes}. */
    public static WriteSpec create(BlockId block, long generation, long reserveBytes) {
        return new WriteSpec(block, generation, reserveBytes, false, 0, 0);
    }

    /** A new block whose whole, short length is known. */
    public static WriteSpec createPacked(BlockId block, long generation, long lengthBytes) {
        return new WriteSpec(block, generation, lengthBytes, true, 0, 0);
    }

    /** The same block from {@code offset} on, under a newer generation: append, or recovery from a failure. */
    public WriteSpec continuedAt(long offset, long newGeneration) {
        return new WriteSpec(block, newGeneration, reserveBytes, packed, offset, generation);
    }
}
