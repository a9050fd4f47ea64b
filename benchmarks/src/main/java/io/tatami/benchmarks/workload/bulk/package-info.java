/**
 * {@code tatami bench bulk}: the cost of giving each file a block on a block server when the file is created. Imported
 * by {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.bulk;

import org.jspecify.annotations.NullMarked;
