/**
 * The scan of one large file on several file systems, each on an equal loop device, with the kernel's trace of the
 * accesses. Imported by {@code benchmarks.workload.stream}.
 */
@NullMarked
package io.tatami.benchmarks.workload.scan;

import org.jspecify.annotations.NullMarked;
