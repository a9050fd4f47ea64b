/**
 * {@code tatami bench dfsio}: Hadoop's TestDFSIO on Tatami and on HDFS, with the throughput of the bare disk measured
 * in the same run. Imported by {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.dfsio;

import org.jspecify.annotations.NullMarked;
