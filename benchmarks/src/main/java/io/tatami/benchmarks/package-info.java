/**
 * The main class of {@code tatami bench} and {@code tatami quickstart}. Below it are one package for each benchmark
 * ({@code workload}), the code that they share ({@code harness}) and the quickstart. The distribution is described in
 * {@code src/assembly}. No package imports it.
 */
@NullMarked
package io.tatami.benchmarks;

import org.jspecify.annotations.NullMarked;
