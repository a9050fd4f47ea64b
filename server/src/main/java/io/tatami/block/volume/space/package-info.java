/**
 * The space of a volume: extents, the allocation of free ones, and the planning of compaction, and what a new block
 * asks for. Imports no other package of the volume. Imported by {@code block.service.copy}, {@code block.service.write}
 * and {@code block.volume..}.
 */
@NullMarked
package io.tatami.block.volume.space;

import org.jspecify.annotations.NullMarked;
