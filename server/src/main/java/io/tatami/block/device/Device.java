package io.tatami.block.device;

import io.tatami.base.TatamiException;
import io.tatami.protocol.UnitSize;
import java.nio.ByteBuffer;

/**
 * A disk below the page cache. Offsets, and the positions and lengths of buffers, are multiples of
 * {@link #ALIGNMENT_BYTES}; buffers are direct and their memory is aligned likewise. A breach of that is a bug of the
 * caller, not an I/O error.
 *
 * <p>A write is durable only once a {@link #flush()} that began after it had returned came back. Until then each sector
 * of it may hold old bytes, new bytes or a mixture after a power cut. Safe for use by many threads; concurrent calls
 * that touch the same bytes have no defined order. Calls block, and must come from threads that are never interrupted:
 * an interrupt closes a channel under everybody.
 */
public interface Device extends AutoCloseable {
    /** Alignment of everything that is read or written. */
    int ALIGNMENT_BYTES = 4 << 10;

    /** The size of transfers that bulk data is cut into. */
    int UNIT_BYTES = UnitSize.BYTES;

    /** What errors and logs call the device, for instance its path. */
    String name();

    /** The size, a multiple of {@link #ALIGNMENT_BYTES}; constant while the device is open. */
    long sizeBytes();

    /**
     * Fills {@code into} from its position to its limit, and moves the position there.
     *
     * @throws TatamiException IO_ERROR; what the buffer holds then is not defined
     */
    void readFully(long offsetBytes, ByteBuffer into) throws TatamiException;

    /**
     * Writes what is between position and limit of {@code from}, and moves the position to the limit.
     *
     * @throws TatamiException IO_ERROR, or NO_SPACE where the device is a file that was not allocated in full and its
     *     file system is full; any part of the range may then hold any mixture of old and new bytes
     */
    void write(long offsetBytes, ByteBuffer from) throws TatamiException;

    /**
     * Makes all writes durable that returned before this call began.
     *
     * @throws TatamiException IO_ERROR; nothing can then be said of any write since the last flush, and a second flush
     *     that succeeds proves nothing
     */
    void flush() throws TatamiException;

    /** Gives the device up; not a flush. A second call does nothing. */
    @Override
    void close() throws TatamiException;

    /** {@code bytes} rounded down to the alignment. */
    static long alignDown(long bytes) {
        return bytes & -ALIGNMENT_BYTES;
    }

    /** {@code bytes} rounded up to the alignment. */
    static long alignUp(long bytes) {
        return bytes + ALIGNMENT_BYTES - 1 & -ALIGNMENT_BYTES;
    }
}
