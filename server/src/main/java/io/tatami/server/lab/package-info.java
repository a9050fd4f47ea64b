/**
 * A lab: a Tatami cluster of several nodes on one machine, whose nodes and network can be broken, and, beside it where
 * asked, HDFS on the same nodes. Imports {@code io.tatami.server.node}, the client and
 * {@code io.tatami.server.lab.host}. Imported by {@code benchmarks.harness.client}, {@code benchmarks.harness.yarn},
 * {@code benchmarks.workload.affinity}, {@code benchmarks.workload.chaos}, {@code benchmarks.workload.heal},
 * {@code benchmarks.workload.ior}, {@code benchmarks.workload.join}, {@code benchmarks.workload.locality} and
 * {@code server.lab.command}.
 */
@NullMarked
package io.tatami.server.lab;

import org.jspecify.annotations.NullMarked;
