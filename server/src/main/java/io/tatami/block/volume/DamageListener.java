package io.tatami.block.volume;

import io.tatami.base.BlockId;

/** Told of every chunk that failed its checksum, by the thread that read it; must return soon. */
@FunctionalInterface
public interface DamageListener {
    /** @param offsetBytes where in the block the chunk begins */
    void chunkDamaged(BlockId block, long offsetBytes);
}
