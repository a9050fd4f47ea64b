/**
 * Write streams: sessions, the chain behind them, and the choice of a volume for a new block. Threads, time and
 * connections come from outside. Imported by {@code service.command}, which fences writers, and the server.
 */
@NullMarked
package io.tatami.block.service.write;

import org.jspecify.annotations.NullMarked;
