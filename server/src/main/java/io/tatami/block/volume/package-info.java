/**
 * One volume of a block server: its superblock, the allocation of extents, the block index, and the writing, reading
 * and scrubbing of blocks. Imported by {@code io.tatami.block.service} and the wiring; the only package of the block
 * server that touches RocksDB.
 */
@NullMarked
package io.tatami.block.volume;

import org.jspecify.annotations.NullMarked;
