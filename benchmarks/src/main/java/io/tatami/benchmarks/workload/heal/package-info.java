/** {@code tatami bench heal}: how fast the blocks of a dead server are copied. Imported by {@code benchmarks}. */
@NullMarked
package io.tatami.benchmarks.workload.heal;

import org.jspecify.annotations.NullMarked;
