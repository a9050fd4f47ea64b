/**
 * {@code tatami bench locality}: how many of a job's maps run beside their bytes, over Tatami and over HDFS. Imported
 * by {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.locality;

import org.jspecify.annotations.NullMarked;
