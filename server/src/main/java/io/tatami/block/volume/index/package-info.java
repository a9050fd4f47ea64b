/**
 * What a volume knows of its blocks durably: the block index, and the ends of blocks that are flushed and not synced.
 * The only package of the block server that touches RocksDB.
 */
@NullMarked
package io.tatami.block.volume.index;

import org.jspecify.annotations.NullMarked;
