/** Writers of logs: records that are each flushed before the next one comes. Imported by the command line. */
@NullMarked
package io.tatami.benchmarks.workload.flush;

import org.jspecify.annotations.NullMarked;
