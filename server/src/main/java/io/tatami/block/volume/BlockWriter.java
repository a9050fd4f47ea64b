package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.space.Extent;
import io.tatami.files.CrashPoint;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The right to append to one block. A block has at most one valid writer. {@link Volume#reopen} and
 * {@link Volume#setGeneration} take the right from the earlier writer, whose calls then fail with FENCED. Used by one
 * thread at a time, not always the same. Calls block on the disk and keep an interrupt for later.
 *
 * <p>After an error, bytes taken before it are still in memory or on the device, but only those up to the last
 * successful {@link #sync()} are durable. Then {@link #close()} is the only call left, unless the method says
 * otherwise.
 */
public final class BlockWriter implements AutoCloseable {
    private final VolumeParts parts;
    private final BlockCommitter committer;
    private final Replica replica;
    private final Generation generation;

    BlockWriter(VolumeParts parts, BlockCommitter committer, Replica replica, Generation generation) {
        this.parts = parts;
        this.committer = committer;
        this.replica = replica;
        this.generation = generation;
    }

    public BlockId block() {
        return replica.block();
    }

    Replica replica() {
        return replica;
    }

    public Generation generation() {
        return generation;
    }

    /** The length of the block in bytes, those in memory included. */
    public long lengthBytes() {
        OpenBlock open = replica.open();
        return open == null ? replica.describe().durableBytes() : open.lengthBytes();
    }

    /** The number of bytes the block has room for; on a fragmented volume less than was requested. */
    public long capacityBytes() {
        return replica.extent().lengthBytes();
    }

    /** From now on all other users of the volume come first; before the first bytes. */
    public void inBackground() throws TatamiException {
        try (Replica.Change change = replica.change()) {
            change.openFor(this).inBackground();
        }
    }

    /** {@link #append(ByteSource, int[])} of the bytes between position and limit of {@code data}. */
    public void append(ByteBuffer data, int @Nullable [] pieceChecksums) throws TatamiException {
        append(ScatteredBytes.of(data), pieceChecksums);
    }

    /**
     * Appends all of {@code data}, of any length and alignment. The bytes are neither durable nor visible by that. They
     * are copied, and the copy is verified; {@code data} may change after the return. If this throws, exactly those
     * bytes were taken that lie in units before the failed one.
     *
     * @param pieceChecksums the sender's CRC32C of each piece of the data, cut at the 64 KiB boundaries of the block;
     *     null to have them computed here
     * @throws TatamiException CORRUPT if a checksum does not match; BUSY if no buffer became free in time; the failure
     *     of {@code data}; NO_SPACE if the block's room is too small and cannot grow (detail: the room it has). After
     *     these the writer is usable from {@link #lengthBytes} on. Also FENCED; NO_SUCH_BLOCK after a delete; IO_ERROR
     */
    public void append(ByteSource data, int @Nullable [] pieceChecksums) throws TatamiException {
        try (Replica.Change change = replica.change()) {
            OpenBlock open = change.openFor(this);
            ensureRoom(open, data.remaining());
            int piece = 0;
            while (data.remaining() > 0) {
                int length = open.unitPartBytes(data.remaining());
                int pieces = ChunkChecksum.pieces(open.lengthBytes(), length);
                int[] expected =
                        pieceChecksums == null ? null : Arrays.copyOfRange(pieceChecksums, piece, piece + pieces);
                open.append(data, length, expected);
                piece += pieces;
            }
        }
    }

    /**
     * Makes the first {@code lengthBytes} bytes visible to readers; a smaller number than before has no effect. To be
     * called when the servers behind have them in memory, and before they are acknowledged: a recovery that fences this
     * writer later keeps them.
     *
     * @throws TatamiException FENCED or NO_SUCH_BLOCK: nothing is made visible, and the bytes must not be acknowledged
     */
    public void makeVisible(long lengthBytes) throws TatamiException {
        replica.makeVisible(this, lengthBytes);
    }

    /**
     * Makes all bytes durable and visible: writes them, flushes the device, and records length, generation and
     * checksums in the index, in one synced batch.
     *
     * @return the durable length in bytes
     * @throws TatamiException FENCED, NO_SUCH_BLOCK, NO_SPACE (a volume file that was not allocated in full) or
     *     IO_ERROR; the bytes may or may not be durable then
     */
    public long sync() throws TatamiException {
        try (Replica.Change change = replica.change()) {
            OpenBlock open = change.openFor(this);
            committer.sync(change, open, generation);
            return open.lengthBytes();
        }
    }

    /**
     * Makes all bytes survive the end of this process, but not of the host: writes them, and keeps beside the index
     * what the index would have to record. Neither is flushed. If that is not possible, as for a block that the index
     * does not have yet, this is a {@link #sync}. Makes nothing visible.
     *
     * @return the end of the durable bytes
     * @throws TatamiException as {@link #sync}
     */
    public long flush() throws TatamiException {
        try (Replica.Change change = replica.change()) {
            OpenBlock open = change.openFor(this);
            boolean isKept = committer.flush(change, open, generation);
            return isKept ? replica.describe().durableBytes() : open.lengthBytes();
        }
    }

    /**
     * {@link #sync()} without making bytes visible: for a stream that ends before the servers behind are known to have
     * all bytes.
     *
     * @throws TatamiException as {@link #sync}
     */
    public void persist() throws TatamiException {
        try (Replica.Change change = replica.change()) {
            committer.persist(change, change.openFor(this), generation);
        }
    }

    /**
     * Writes all bytes to the device, as the end of the block, without a flush; no buffer is held afterwards. What may
     * follow is {@link Volume#finish}, {@link #abort()} or {@link #close()}.
     *
     * @throws TatamiException as {@link #sync}
     */
    public void writeOut() throws TatamiException {
        try (Replica.Change change = replica.change()) {
            change.openFor(this).drain(true);
            CrashPoint.hit("volume.batch.after-write");
        }
    }

    /**
     * {@link #sync()}, and finalizes the block: unused room is free again. This writer must not be used afterwards.
     *
     * @return the final length in bytes
     */
    public long finish() throws TatamiException {
        try (Replica.Change change = replica.change()) {
            OpenBlock open = change.openFor(this);
            committer.finish(change, open, generation);
            return open.lengthBytes();
        }
    }

    /**
     * Drops the bytes that were not synced, as a crash of the server would. A block that was never synced is gone and
     * its room is free; any other keeps its last durable length. This writer must not be used afterwards.
     */
    public void abort() throws TatamiException {
        try (Replica.Change change = replica.change()) {
            committer.abort(change, change.openFor(this));
        }
    }

    /**
     * Releases the block without finishing it, as when the connection to its writer breaks. Its bytes remain readable,
     * also those that are not durable, until {@link Volume#reopen} continues it or the server stops. Memory is freed as
     * far as possible. Does nothing if the writer is used up or fenced.
     */
    @Override
    public void close() {
        try (Replica.Change change = replica.change()) {
            if (replica.isWriter(this)) {
                committer.detach(change);
            }
        }
    }

    private void ensureRoom(OpenBlock open, int length) throws TatamiException {
        long wantedBytes = open.lengthBytes() + length;
        Extent extent = open.extent();
        if (wantedBytes > extent.lengthBytes()) {
            extent = parts.allocator().extend(extent, wantedBytes);
            open.setExtent(extent);
        }
        if (wantedBytes > extent.lengthBytes()) {
            throw new TatamiException(
                    ErrorCode.NO_SPACE,
                    "block " + block() + " has room for " + extent.lengthBytes() + " bytes on "
                            + parts.device().name() + " and cannot grow to " + wantedBytes,
                    new Detail.RoomLeft(extent.lengthBytes()));
        }
    }
}
