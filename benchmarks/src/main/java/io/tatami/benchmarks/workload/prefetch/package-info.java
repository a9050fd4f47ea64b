/**
 * {@code tatami bench prefetch}: the gain from access plans and the cache tier when the order of reading is known in
 * advance. Imported by {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.prefetch;

import org.jspecify.annotations.NullMarked;
