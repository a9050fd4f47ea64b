package io.tatami.block.volume.space;

import io.tatami.base.BlockId;

/**
 * Where a block is, as it was at one moment.
 *
 * @param movable whether it may be moved: finalized, and not known to be damaged
 */
public record PlacedBlock(BlockId block, Extent extent, boolean movable) {}
