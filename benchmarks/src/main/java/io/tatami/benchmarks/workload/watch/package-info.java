/**
 * What it costs that servers are watched: CPU time of the same work with metrics and traces on and off. Imported by
 * {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.watch;

import org.jspecify.annotations.NullMarked;
