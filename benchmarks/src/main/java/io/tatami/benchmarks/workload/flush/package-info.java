/**
 * {@code tatami bench flush}: the rate at which writers append records, each flushed before the next one. Imported by
 * {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.flush;

import org.jspecify.annotations.NullMarked;
