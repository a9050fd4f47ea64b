/**
 * {@code tatami bench stream}: sequential streams of large files on Tatami and on HDFS, compared with the throughput of
 * the bare disk. Imported by {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.stream;

import org.jspecify.annotations.NullMarked;
