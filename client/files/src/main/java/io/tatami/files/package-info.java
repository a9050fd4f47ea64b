/**
 * Files that survive a crash: durable writes, envelopes with a version and a checksum, and locks; beside them the crash
 * points at which a test stops a process, and a look at the files of a running server. Imports {@code base} only.
 * Imported by {@code benchmarks.harness.peer}, {@code benchmarks.workload.small}, {@code block..}, {@code meta..} and
 * {@code server..}.
 */
@NullMarked
package io.tatami.files;

import org.jspecify.annotations.NullMarked;
