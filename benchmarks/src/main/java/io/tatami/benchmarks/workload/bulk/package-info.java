/** {@code tatami bench bulk}: what it costs that every file has a block on a server when it is created. */
@NullMarked
package io.tatami.benchmarks.workload.bulk;

import org.jspecify.annotations.NullMarked;
