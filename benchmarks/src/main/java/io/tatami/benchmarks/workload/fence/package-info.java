/**
 * {@code tatami bench fence}: the cost of directory renames to clients that use paths below the renamed directory.
 * Imported by {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.fence;

import org.jspecify.annotations.NullMarked;
