/**
 * {@code tatami bench meta}: metadata operations of many clients through Hadoop's API, on one file system at a time.
 * Imported by {@code benchmarks} and {@code benchmarks.workload.ceiling}, which has the model of costs from here.
 */
@NullMarked
package io.tatami.benchmarks.workload.meta;

import org.jspecify.annotations.NullMarked;
