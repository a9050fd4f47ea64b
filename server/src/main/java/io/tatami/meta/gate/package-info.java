/**
 * Handles, rights, proofs and credentials: their signatures, and the check whether a handle is too old. Imported by
 * {@code meta.op..}, {@code meta.service..} and {@code benchmarks.workload.micro}.
 */
@NullMarked
package io.tatami.meta.gate;

import org.jspecify.annotations.NullMarked;
