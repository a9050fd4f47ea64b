/**
 * The records of a metadata group as pure data: keys, records, views and drafts. It has no I/O, no clock and no thread.
 * Imported by {@code meta..}, {@code benchmarks.workload.micro} and {@code benchmarks.workload.simulate}.
 */
@NullMarked
package io.tatami.meta.state;

import org.jspecify.annotations.NullMarked;
