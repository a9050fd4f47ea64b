/**
 * What a run needs of this machine: processes, ports, names, devices, quotas. Imports no other package of benchmarks.
 */
@NullMarked
package io.tatami.benchmarks.harness.host;

import org.jspecify.annotations.NullMarked;
