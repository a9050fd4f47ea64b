/**
 * {@code tatami bench blocks}: a block server with very many blocks: how soon it serves after a start, and what an
 * audit of all of them costs it. Imported by {@code benchmarks}.
 */
@NullMarked
package io.tatami.benchmarks.workload.blocks;

import org.jspecify.annotations.NullMarked;
