/**
 * The metrics of a server process, by the Prometheus Java client: what is counted while requests are served, and what
 * is asked of the parts when a scrape comes. Imported by {@code benchmarks.workload.micro} and {@code server.monitor}.
 */
@NullMarked
package io.tatami.server.metrics;

import org.jspecify.annotations.NullMarked;
