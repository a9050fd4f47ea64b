/**
 * The interface of an operation, and the rules that several operations share: access rights, markers, leases and the
 * removal of files. An operation is a pure function from state and request to changes and reply, in a class of its own.
 * Operations use no thread, file, socket or clock. Imported by {@code meta.op..}, {@code meta.service..} and
 * {@code benchmarks.workload.micro}.
 */
@NullMarked
package io.tatami.meta.op;

import org.jspecify.annotations.NullMarked;
