package io.tatami.client.file;

import io.tatami.client.PathStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Reads one file as it was when it was opened: of a file being written, the bytes visible then. {@link #readAt} and
 * {@link #readRanges} may be called by many threads at once; all else by one thread at a time. Every byte from a block is
 * verified against its checksum; where a copy fails, the others are tried.
 */
public interface FileReader extends AutoCloseable {
    /** As of the opening. */
    PathStatus status();

    /** How many bytes can be read; beyond {@link PathStatus#lengthBytes} where the file is being written. */
    long lengthBytes();

    /** Where {@link #read} goes on. */
    long position();

    /**
     * Moves without reading; within what was read ahead, bytes are passed over rather than asked for again.
     *
     * @throws java.io.EOFException for a negative position or one beyond the length
     */
    void seek(long position) throws IOException;

    /**
     * Reads from the position on, as much as is at hand, and waits only for the first byte.
     *
     * @return how many bytes; -1 at the end
     * @throws io.tatami.base.TatamiException CORRUPT where every copy failed its checksum; else the last copy's failure
     */
    int read(ByteBuffer destination) throws IOException;

    /** {@link #read(ByteBuffer)} into a part of an array. */
    int read(byte[] bytes, int offset, int length) throws IOException;

    /**
     * Reads at {@code position} until {@code destination} is full or the file ends; the reader's own position stays.
     *
     * @return how many bytes; -1 at or beyond the end
     */
    int readAt(long position, ByteBuffer destination) throws IOException;

    /**
     * Reads many ranges in the background, near ones together, and completes each one's result. Returns at once.
     *
     * @param allocate makes a buffer with at least so many bytes left; called on the client's threads, once a range
     * @throws java.io.EOFException where a range ends beyond the file; nothing is read then
     * @throws IllegalArgumentException where two ranges overlap
     */
    void readRanges(List<ReadRange> ranges, IntFunction<ByteBuffer> allocate) throws IOException;

    /** How many bytes could be read without waiting for a server; a lower bound. */
    int available();

    void setPolicy(ReadPolicy policy);

    /** Lets go of what was read ahead and of the stream it came on; the reader can be used on. */
    void unbuffer();

    ReadStatistics statistics();

    /** Does nothing the second time; every other call fails after it. */
    @Override
    void close();
}
