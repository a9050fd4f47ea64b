/**
 * Operations of a shard on existing files and symlinks: lookup, listing, attributes and the location of blocks.
 * Imported by {@code meta.op.lease}, {@code meta.op.rename}, {@code meta.op.write}, {@code meta.service.file} and
 * {@code benchmarks.workload.micro}.
 */
@NullMarked
package io.tatami.meta.op.file;

import org.jspecify.annotations.NullMarked;
