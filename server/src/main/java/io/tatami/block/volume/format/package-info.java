/**
 * The superblocks of volumes and of cache devices, and the formatting of both. Imported by
 * {@code benchmarks.workload.blocks}, {@code block.volume}, {@code server.cli} and {@code server.node}.
 */
@NullMarked
package io.tatami.block.volume.format;

import org.jspecify.annotations.NullMarked;
