/** {@code tatami bench jobs}: Hadoop jobs on YARN over Tatami, each result checked. */
@NullMarked
package io.tatami.benchmarks.workload.jobs;

import org.jspecify.annotations.NullMarked;
