/**
 * {@code tatami bench resting}: the rate of one stream beside very many writers that keep their files open and write
 * nothing. Imported by {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.resting;

import org.jspecify.annotations.NullMarked;
