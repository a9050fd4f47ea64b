/**
 * The start of block nodes and standalone nodes: their parts put together, their data directory and their settings.
 * Imported by {@code benchmarks.workload.chaos}, {@code launch}, {@code server.cli..}, {@code server.lab} and
 * {@code server.monitor}.
 */
@NullMarked
package io.tatami.server.node;

import org.jspecify.annotations.NullMarked;
