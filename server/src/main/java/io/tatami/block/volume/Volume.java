package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.TatamiException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * A disk full of blocks: what the data port writes to and reads from. Opened by {@link VolumeOpener}. Safe for use by many
 * threads; calls block on the disk.
 *
 * <p>What a call made durable survives a power cut at any moment after it returned. The first error of a write, a flush or
 * the index stops the volume: this call and all later ones fail with IO_ERROR, and the process must open it anew.
 */
public final class Volume implements AutoCloseable {
    Volume() {}

    /** The id given when the volume was formatted. */
    public UUID id() {
        throw new UnsupportedOperationException();
    }

    /**
     * Begins a block. Nothing is durable before the first {@link BlockWriter#sync()}: after a crash before it, the block
     * never was.
     *
     * @param reservedBytes how much room to take, at least 1; where no free extent is as long, the longest is taken, and
     *     {@link BlockWriter#capacityBytes()} tells
     * @param shortFromStart the length is known and below the block size: the block is packed at the high end
     * @throws TatamiException ALREADY_EXISTS, NO_SPACE or IO_ERROR
     */
    public BlockWriter create(BlockId block, long generation, long reservedBytes, boolean shortFromStart)
            throws TatamiException {
        throw new UnsupportedOperationException();
    }

    /**
     * Goes on with a block after its first {@code lengthBytes} bytes: append to a finalized block, or recovery of one that
     * was being written, by a live writer or before a crash. What lies beyond is cut off, the generation is adopted, and
     * both are durable, like the bytes kept, when this returns. The writer before, if any, is fenced.
     *
     * @param newGeneration at least the block's own
     * @param reservedBytes how much room the block should have in the end; as much as there is is taken, see {@link
     *     BlockWriter#capacityBytes()}
     * @throws TatamiException NO_SUCH_BLOCK; FENCED where the block has a higher generation; INVALID_ARGUMENT where it is
     *     shorter than {@code lengthBytes}; CORRUPT where the last chunk kept fails its checksum; NO_SPACE; IO_ERROR
     */
    public BlockWriter reopen(BlockId block, long newGeneration, long lengthBytes, long reservedBytes)
            throws TatamiException {
        throw new UnsupportedOperationException();
    }

    /**
     * Cuts a block to {@code lengthBytes} (its own length is allowed), adopts the generation, finalizes it and frees the room
     * beyond, durably. After a crash in the middle the block has either length and either generation.
     *
     * @throws TatamiException as {@link #reopen}
     */
    public void truncate(BlockId block, long lengthBytes, long newGeneration) throws TatamiException {
        throw new UnsupportedOperationException();
    }

    /**
     * Adopts a generation durably and fences the block's writer; a generation equal to the block's own changes nothing.
     *
     * @throws TatamiException NO_SUCH_BLOCK; FENCED where the block has a higher generation; IO_ERROR
     */
    public void setGeneration(BlockId block, long generation) throws TatamiException {
        throw new UnsupportedOperationException();
    }

    /**
     * Deletes a block durably and frees its room at once; its writer and readers fail with NO_SUCH_BLOCK. Works on a full
     * volume. Does nothing where the block is not here.
     *
     * @param generationMax nothing above this generation is deleted
     * @throws TatamiException FENCED where the block has a higher generation; IO_ERROR
     */
    public void delete(BlockId block, long generationMax) throws TatamiException {
        throw new UnsupportedOperationException();
    }

    /**
     * Opens a reader of {@code lengthBytes} bytes from {@code offsetBytes}; cheap, nothing of the data is read yet.
     *
     * @param generationMin the copy must have this generation at least
     * @throws TatamiException NO_SUCH_BLOCK where the block is not here, or only with a lower generation; INVALID_ARGUMENT
     *     where the range is not all visible; CORRUPT where the index's checksums are damaged; IO_ERROR
     */
    public BlockReader read(BlockId block, long generationMin, long offsetBytes, long lengthBytes)
            throws TatamiException {
        throw new UnsupportedOperationException();
    }

    /**
     * The stored CRC32C of each chunk of the visible bytes from {@code offsetBytes}, a multiple of 64 KiB, on; the last may
     * be of a short chunk. The data is not read.
     *
     * @throws TatamiException as {@link #read}
     */
    public int[] checksums(BlockId block, long generationMin, long offsetBytes, long lengthBytes)
            throws TatamiException {
        throw new UnsupportedOperationException();
    }

    /** What is here of a block, if anything. */
    public Optional<StoredBlock> find(BlockId block) {
        throw new UnsupportedOperationException();
    }

    /** All blocks here, by rising id. Not a snapshot: each element is right at a moment during the call. */
    public List<StoredBlock> blocks() {
        throw new UnsupportedOperationException();
    }

    public VolumeStatistics statistics() {
        throw new UnsupportedOperationException();
    }

    /**
     * Waits for the I/O under way, then closes index and device. What was not synced is lost, as in a crash; call it after
     * the last user has gone. A second call does nothing.
     */
    @Override
    public void close() throws TatamiException {
        throw new UnsupportedOperationException();
    }
}
