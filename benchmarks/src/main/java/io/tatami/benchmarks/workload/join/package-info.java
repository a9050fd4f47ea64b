/**
 * {@code tatami bench join}: the time to add a server under load, and the effect on the latency of clients. Imported by
 * {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.join;

import org.jspecify.annotations.NullMarked;
