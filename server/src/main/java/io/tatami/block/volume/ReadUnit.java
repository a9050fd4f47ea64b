package io.tatami.block.volume;

import io.tatami.base.Check;
import io.tatami.block.device.AlignedBuffer;
import java.nio.ByteBuffer;

/**
 * A run of up to 4 MiB of a block's bytes, verified as its {@link UnitMemory} says, in a buffer of that. The receiver
 * owns the buffer until it calls {@link #close()}, on any thread, once; until then it may slice {@link #data()} and
 * hand the slices on.
 */
public final class ReadUnit implements AutoCloseable {
    private final long offsetBytes;
    private final ByteBuffer data;
    private final int[] pieceChecksums;
    private final AlignedBuffer buffer;
    private final Origin origin;

    /** Where the bytes came from. */
    public enum Origin {
        /** The volume; nobody had said that they would be read. */
        VOLUME,
        /** A copy that was made before the reader asked. */
        STAGED,
        /** The volume, directly or by a copy, though they were to be staged: the copy was not there in time. */
        LATE
    }

    ReadUnit(long offsetBytes, ByteBuffer data, int[] pieceChecksums, AlignedBuffer buffer, Origin origin) {
        Check.check(data.hasRemaining(), "an empty unit at %d", offsetBytes);
        this.offsetBytes = offsetBytes;
        this.data = data;
        this.pieceChecksums = pieceChecksums;
        this.buffer = buffer;
        this.origin = origin;
    }

    /** Where in the block the first byte lies. */
    public long offsetBytes() {
        return offsetBytes;
    }

    /** The bytes, from position to limit of a direct buffer that must not be changed. */
    public ByteBuffer data() {
        return data;
    }

    /** The CRC32C of each piece of the bytes, cut at the 64 KiB boundaries of the block. */
    public int[] pieceChecksums() {
        return pieceChecksums;
    }

    /** Of the unit's buffer in its pool; the data lie in it from the position of {@link #data()} on. */
    public int bufferNumber() {
        return buffer.number();
    }

    /** Whether so few buffers of this kind are free that this one should not wait for a receiver. */
    public boolean isScarce() {
        return buffer.isScarce();
    }

    public Origin origin() {
        return origin;
    }

    /** Gives the buffer back; its bytes must not be touched afterwards. */
    @Override
    public void close() {
        buffer.release();
    }
}
