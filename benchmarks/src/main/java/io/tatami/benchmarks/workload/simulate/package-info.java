/**
 * {@code tatami bench simulate}: the planners of block copies in a cluster of any size, in virtual time. Imported by
 * {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.simulate;

import org.jspecify.annotations.NullMarked;
