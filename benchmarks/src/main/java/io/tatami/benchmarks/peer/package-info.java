/** File systems as the benchmarks start and stop them, as processes of their own. Imported by workloads only. */
@NullMarked
package io.tatami.benchmarks.peer;

import org.jspecify.annotations.NullMarked;
