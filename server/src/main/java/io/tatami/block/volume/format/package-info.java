/**
 * The superblock of a volume and of a cache tier's device, and the formatting of both. Imported by {@code block.volume}
 * and the wiring.
 */
@NullMarked
package io.tatami.block.volume.format;

import org.jspecify.annotations.NullMarked;
