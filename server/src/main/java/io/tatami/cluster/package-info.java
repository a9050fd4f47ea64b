/**
 * Pure planning over facts that are handed in: the choice of block servers for new blocks, which copies of a block are
 * made and given up, and how well they are; and what such facts are counted with. Imports {@code base} only. Imported
 * by {@code benchmarks.workload.simulate}, {@code block.service.context}, {@code meta.op.copies}, {@code meta.op.file},
 * {@code meta.op.fsck}, {@code meta.op.write}, {@code meta.service.copies} and {@code meta.service.file}.
 */
@NullMarked
package io.tatami.cluster;

import org.jspecify.annotations.NullMarked;
