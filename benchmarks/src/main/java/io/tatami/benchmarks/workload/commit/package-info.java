/** {@code tatami bench commit}: what tasks and the end of a job do with names. Imported by {@code benchmarks}. */
@NullMarked
package io.tatami.benchmarks.workload.commit;

import org.jspecify.annotations.NullMarked;
