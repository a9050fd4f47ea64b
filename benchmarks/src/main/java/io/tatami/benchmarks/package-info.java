/**
 * The command line of {@code tatami bench} and {@code tatami quickstart}. Below it: {@code workload}, one package a
 * benchmark; {@code harness}, what they share; {@code quickstart}. Imports everything; imported by nothing. The
 * distribution is no code: {@code src/assembly}.
 */
@NullMarked
package io.tatami.benchmarks;

import org.jspecify.annotations.NullMarked;
