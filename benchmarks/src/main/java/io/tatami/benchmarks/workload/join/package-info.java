/** How long it takes to add a server under load, and what clients notice. Nothing imports this but the program. */
@NullMarked
package io.tatami.benchmarks.workload.join;

import org.jspecify.annotations.NullMarked;
