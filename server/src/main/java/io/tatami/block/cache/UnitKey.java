package io.tatami.block.cache;

import io.tatami.base.BlockId;

/** A unit of a block, counted from 0. */
record UnitKey(BlockId block, int unit) {}
