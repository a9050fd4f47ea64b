/**
 * The block server: its data port, put together from the packages below it. Imported by
 * {@code benchmarks.workload.blocks} and {@code server.node}.
 */
@NullMarked
package io.tatami.block.service;

import org.jspecify.annotations.NullMarked;
