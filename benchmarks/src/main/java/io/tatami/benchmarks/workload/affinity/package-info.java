/**
 * {@code tatami bench affinity}: what tasks that are placed beside their bytes reach of the nodes' disks, to tasks that
 * are placed anywhere. Imported by {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.affinity;

import org.jspecify.annotations.NullMarked;
