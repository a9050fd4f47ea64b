/**
 * {@code tatami bench failover}: the time without service for clients after the death of a metadata server. Imported by
 * {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.failover;

import org.jspecify.annotations.NullMarked;
