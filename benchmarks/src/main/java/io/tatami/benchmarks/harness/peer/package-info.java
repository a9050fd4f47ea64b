/** File systems as workloads and quickstart start and stop them, as processes of their own. Imports host and report. */
@NullMarked
package io.tatami.benchmarks.harness.peer;

import org.jspecify.annotations.NullMarked;
