/**
 * The data port of a block server: write streams and the chain behind them, read streams, recovery, audit, and the
 * server's membership in a cluster. Imported only by the wiring in {@code io.tatami.server}.
 */
@NullMarked
package io.tatami.block.service;

import org.jspecify.annotations.NullMarked;
