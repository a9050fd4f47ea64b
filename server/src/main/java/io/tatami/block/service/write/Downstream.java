package io.tatami.block.service.write;

/**
 * The servers behind a server in the chain of a block, and how far they are. A server acknowledges the bytes that it
 * and all servers behind it have. Used by the session's worker.
 */
sealed interface Downstream permits ChainTail, NextServer {
    /** Of bytes that are in memory here, those that are in memory in all servers from here to the tail. */
    long visibleBytes(long hereBytes);

    /** As {@link #visibleBytes}, for bytes that are flushed on the device. */
    long durableBytes(long hereBytes);

    /** As {@link #visibleBytes}, for bytes that survive the end of the process. */
    long flushedBytes(long hereBytes);

    /** How long the block can become in all servers from here to the tail; at most {@code hereBytes}. */
    long roomBytes(long hereBytes);

    /** Up to where bytes that are stored here have left this server's memory. */
    long passedOnBytes(long storedBytes);

    /** Whether the chain is open to its tail; nothing is acknowledged before. */
    boolean isReady();

    /** Whether the block is final in all servers behind. */
    boolean isFinished();

    /** Cancels the streams behind, before their end. */
    void cancel(String reason);
}
