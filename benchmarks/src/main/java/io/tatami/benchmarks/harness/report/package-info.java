/** Rounds, figures and where they go. Imported by the harness and by workloads; imports host only. */
@NullMarked
package io.tatami.benchmarks.harness.report;

import org.jspecify.annotations.NullMarked;
