/**
 * Client processes of a benchmark. They use a file system through Hadoop's API or Tatami's client, and report their
 * counts and times to the benchmark. Imported by {@code benchmarks.workload..}.
 */
@NullMarked
package io.tatami.benchmarks.harness.client;

import org.jspecify.annotations.NullMarked;
