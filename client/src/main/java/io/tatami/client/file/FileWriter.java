package io.tatami.client.file;

import io.tatami.base.FileId;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Writes one file from its end on. Used by one thread at a time. Small files stay in memory and are stored in their
 * entry when they are closed; what grows beyond, or is flushed, goes to blocks.
 *
 * <p>A failure that cannot be mended stays: every later call throws it again, {@link #close} included. A thread that is
 * interrupted while it waits gets {@link java.io.InterruptedIOException}; the writer can be used on, and
 * {@link #position} tells how many bytes were taken.
 */
public interface FileWriter extends AutoCloseable {
    FileId file();

    /** Bytes from the start of the file to where the next one goes. */
    long position();

    /** Takes all bytes, and may wait until block servers have taken earlier ones. The array is the caller's again. */
    void write(byte[] bytes, int offset, int length) throws IOException;

    /** Takes all bytes between position and limit. */
    void write(ByteBuffer bytes) throws IOException;

    /** Returns when all bytes written are in the memory of every server that holds them, and new readers see them. */
    void hflush() throws IOException;

    /**
     * Returns when all bytes written are on the devices of every server that holds them: they survive a power cut.
     *
     * @param recordLength whether the file's status shall tell the length from now on; costs a call each time
     */
    void hsync(boolean recordLength) throws IOException;

    /** On how many servers the block being written is; the file's replication where none is. */
    int currentReplication();

    /** Makes all bytes durable and the file closed. Does nothing after it succeeded, and fails again after it failed. */
    @Override
    void close() throws IOException;

    /**
     * Gives the file up without completing it: it stays open at the cluster until its lease is recovered, with the bytes
     * that were flushed. Does nothing after a close that succeeded.
     */
    void abort();
}
