/**
 * The file systems under test: Tatami, HDFS and others, each started and stopped as processes of its own. Imports
 * {@code host} and {@code report} of the harness. Imported by {@code benchmarks.harness.client},
 * {@code benchmarks.quickstart} and {@code benchmarks.workload..}.
 */
@NullMarked
package io.tatami.benchmarks.harness.peer;

import org.jspecify.annotations.NullMarked;
