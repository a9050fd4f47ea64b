/**
 * {@code tatami bench jobs}: Hadoop jobs on YARN over Tatami; the result of each job is checked. Imported by
 * {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.jobs;

import org.jspecify.annotations.NullMarked;
