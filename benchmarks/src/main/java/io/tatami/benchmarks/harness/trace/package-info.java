/**
 * What the kernel tells of the requests of a block device, and pictures of it. Imported by {@code workload.scan} and
 * {@code workload.join}.
 */
@NullMarked
package io.tatami.benchmarks.harness.trace;

import org.jspecify.annotations.NullMarked;
