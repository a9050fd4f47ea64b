/** {@code tatami bench failover}: how long clients are without service when a metadata server dies. */
@NullMarked
package io.tatami.benchmarks.workload.failover;

import org.jspecify.annotations.NullMarked;
