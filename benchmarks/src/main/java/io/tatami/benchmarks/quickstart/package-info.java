/**
 * {@code tatami quickstart}: starts a cluster, runs a word count on it, and prints the result. Imported by
 * {@code launch}.
 */
@NullMarked
package io.tatami.benchmarks.quickstart;

import org.jspecify.annotations.NullMarked;
