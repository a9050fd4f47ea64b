/** {@code tatami bench prefetch}: what access plans and the cache tier are worth when the order of reading is known. */
@NullMarked
package io.tatami.benchmarks.workload.prefetch;

import org.jspecify.annotations.NullMarked;
