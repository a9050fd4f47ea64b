/**
 * One volume of a block server: its blocks, and how they are written, read, moved and made durable. Imports
 * {@code volume.format}, {@code volume.index}, {@code volume.space} and {@code block.device}.
 */
@NullMarked
package io.tatami.block.volume;

import org.jspecify.annotations.NullMarked;
