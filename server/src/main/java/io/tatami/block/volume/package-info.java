/**
 * One volume: the writing, reading, relocation and durability of its blocks. Imports {@code format}, {@code index} and
 * {@code space} below it, and {@code block.device}. Imported by {@code benchmarks.workload.blocks},
 * {@code block.cache}, {@code block.service..}, {@code block.volume.maintain} and {@code server.node}.
 */
@NullMarked
package io.tatami.block.volume;

import org.jspecify.annotations.NullMarked;
