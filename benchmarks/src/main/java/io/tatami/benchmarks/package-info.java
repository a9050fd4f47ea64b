/** Workloads that measure Tatami as a whole and beside HDFS. Imports everything; imported by nothing. */
@NullMarked
package io.tatami.benchmarks;

import org.jspecify.annotations.NullMarked;
