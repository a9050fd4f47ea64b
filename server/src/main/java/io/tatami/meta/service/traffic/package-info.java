/**
 * Counts of what clients ask of a group, in bounded space and in memory alone. Imported by {@code meta.service.host}
 * and {@code benchmarks.workload.micro}.
 */
@NullMarked
package io.tatami.meta.service.traffic;

import org.jspecify.annotations.NullMarked;
