/** The metadata workload: many clients on one file system through Hadoop's API. Run by {@code tatami bench meta}. */
@NullMarked
package io.tatami.benchmarks.workload.meta;

import org.jspecify.annotations.NullMarked;
