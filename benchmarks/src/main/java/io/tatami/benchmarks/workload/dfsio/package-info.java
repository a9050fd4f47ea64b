/**
 * Hadoop's own TestDFSIO on Tatami and on HDFS, with the disk's ceiling in the same run. Imported by the commands only.
 */
@NullMarked
package io.tatami.benchmarks.workload.dfsio;

import org.jspecify.annotations.NullMarked;
