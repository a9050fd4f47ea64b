/**
 * The resources of this host that a run needs: processes, ports, host names, loop devices, page cache and CPU quotas.
 * Imports no other package of the benchmarks. Imported by {@code benchmarks..} and {@code launch}.
 */
@NullMarked
package io.tatami.benchmarks.harness.host;

import org.jspecify.annotations.NullMarked;
