/**
 * {@code tatami bench list}: the rate at which a directory of millions of entries is listed from beginning to end.
 * Imported by {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.list;

import org.jspecify.annotations.NullMarked;
