/**
 * Repeated rounds of a benchmark, their figures, and the files to which the figures are written. Imports {@code host}
 * of the harness. Imported by {@code benchmarks.harness.peer}, {@code benchmarks.harness.trace} and
 * {@code benchmarks.workload..}.
 */
@NullMarked
package io.tatami.benchmarks.harness.report;

import org.jspecify.annotations.NullMarked;
