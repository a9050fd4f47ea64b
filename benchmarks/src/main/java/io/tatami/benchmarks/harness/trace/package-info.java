/**
 * What the kernel tells of the requests of a block device, and pictures of it. Imports {@code report} of the harness.
 * Imported by {@code benchmarks.workload.join} and {@code benchmarks.workload.scan}.
 */
@NullMarked
package io.tatami.benchmarks.harness.trace;

import org.jspecify.annotations.NullMarked;
