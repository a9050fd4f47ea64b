/**
 * The scan of one large file on several file systems on alike loop devices, and what the kernel tells of it. Imported
 * by {@code io.tatami.benchmarks.stream}.
 */
@NullMarked
package io.tatami.benchmarks.workload.scan;

import org.jspecify.annotations.NullMarked;
