/**
 * Client JVMs that work through the API of Hadoop as they are told, most by writing and reading whole files. Imported
 * by workloads.
 */
@NullMarked
package io.tatami.benchmarks.harness.client;

import org.jspecify.annotations.NullMarked;
