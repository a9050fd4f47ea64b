package io.tatami.block.service.write;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.WriteFrame;

/** A server's own copy of a block that is being written, as acknowledgements tell of it. Lengths are in bytes. */
sealed interface WrittenCopy permits OpenCopy, FinishedCopy {
    /** The number of the last frame stored; 0 for none. */
    long sequence();

    long lengthBytes();

    /** Up to where the bytes are flushed on the device. */
    long durableBytes();

    /** Up to where the bytes survive the end of this process; at least {@link #durableBytes}. */
    long flushedBytes();

    /** How long the block can become here. */
    long roomBytes();

    /** The failure for a frame that is not the one that comes next. */
    default TatamiException outOfOrder(BlockId block, WriteFrame frame) {
        return new TatamiException(
                ErrorCode.MALFORMED,
                "frame " + frame.getSequence() + " at " + frame.getOffset() + " of " + block + " after frame "
                        + sequence() + ", which ended at " + lengthBytes());
    }
}
