/**
 * {@code tatami bench ior}: what writers of many block servers reach of what each server does alone. Imported by
 * {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.ior;

import org.jspecify.annotations.NullMarked;
