package io.tatami.block.volume;

import io.tatami.base.BlockId;

/**
 * Where a block is, as it was at one moment.
 *
 * @param movable whether it may be moved: finalized, and not known to be damaged
 */
record PlacedBlock(BlockId block, Extent extent, boolean movable) {}
