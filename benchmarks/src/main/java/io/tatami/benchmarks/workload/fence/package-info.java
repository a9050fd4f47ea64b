/** {@code tatami bench fence}: what it costs that a path means the same to everybody when a directory is renamed. */
@NullMarked
package io.tatami.benchmarks.workload.fence;

import org.jspecify.annotations.NullMarked;
