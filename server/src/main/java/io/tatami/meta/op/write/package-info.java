/**
 * Operations on files that are being written: create, append, blocks, completion, truncation and concatenation.
 * Imported by {@code meta.service.file} and {@code benchmarks.workload.micro}.
 */
@NullMarked
package io.tatami.meta.op.write;

import org.jspecify.annotations.NullMarked;
