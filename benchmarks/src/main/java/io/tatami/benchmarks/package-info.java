/**
 * The command {@code tatami bench}. Below it are one package for each benchmark ({@code workload}), the code that they
 * share ({@code harness}) and the quickstart. The distribution is described in {@code src/assembly}. Imported by
 * {@code launch}.
 */
@NullMarked
package io.tatami.benchmarks;

import org.jspecify.annotations.NullMarked;
