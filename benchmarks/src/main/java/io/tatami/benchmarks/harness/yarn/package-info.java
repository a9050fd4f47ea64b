/**
 * YARN's daemons on this host, and Hadoop's word count as a job. Imports {@code host} of the harness. Imported by
 * {@code benchmarks.quickstart} and {@code benchmarks.workload.jobs}.
 */
@NullMarked
package io.tatami.benchmarks.harness.yarn;

import org.jspecify.annotations.NullMarked;
