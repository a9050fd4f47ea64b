/** Sequential streams of large files beside HDFS and the disk's ceiling. Imported by the commands only. */
@NullMarked
package io.tatami.benchmarks.workload.stream;

import org.jspecify.annotations.NullMarked;
