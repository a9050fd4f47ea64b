/**
 * YARN's daemons on this host or on the nodes of a lab, and programs of Hadoop that run there. Imports {@code host} of
 * the harness and {@code server.lab}. Imported by {@code benchmarks.quickstart}, {@code benchmarks.workload.jobs},
 * {@code benchmarks.workload.affinity} and {@code benchmarks.workload.locality}.
 */
@NullMarked
package io.tatami.benchmarks.harness.yarn;

import org.jspecify.annotations.NullMarked;
