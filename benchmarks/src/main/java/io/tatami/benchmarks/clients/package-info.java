/**
 * Client JVMs that work through Hadoop's API as they are told, most by writing and reading whole files. Imported by
 * workloads.
 */
@NullMarked
package io.tatami.benchmarks.clients;

import org.jspecify.annotations.NullMarked;
