/**
 * The durable records of a volume: the block index, and the lengths of blocks that are flushed and not synced. The only
 * package of the block server that imports RocksDB. Imported by {@code block.volume}, {@code block.volume.format},
 * {@code server.cli} and {@code server.node}.
 */
@NullMarked
package io.tatami.block.volume.index;

import org.jspecify.annotations.NullMarked;
