package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.space.Extent;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The right to append to one block. At most one writer of a block is valid: {@link Volume#reopen} takes the right away
 * from the one before, whose calls then fail with FENCED, as they do after {@link Volume#setGeneration}. Used by one
 * thread at a time; which one may change. Calls block on the disk and keep an interrupt for later.
 *
 * <p>After an error the bytes taken before it are still there, in memory or on the device, but none beyond the last
 * successful {@link #sync()} is durable; {@link #close()} is then the only call left, unless it is said otherwise.
 */
public final class BlockWriter implements AutoCloseable {
    private final VolumeParts parts;
    private final BlockCommitter committer;
    private final Replica replica;
    private final long generation;

    public BlockWriter(VolumeParts parts, BlockCommitter committer, Replica replica, long generation) {
        this.parts = parts;
        this.committer = committer;
        this.replica = replica;
        this.generation = generation;
    }

    public BlockId block() {
        return replica.block();
    }

    public long generation() {
        return generation;
    }

    /** How many bytes the block has, those in memory included. */
    public long lengthBytes() {
        OpenBlock open = replica.open();
        return open == null ? replica.describe().durableBytes() : open.lengthBytes();
    }

    /** How many bytes the block has room for now; on a fragmented volume less than was asked for. */
    public long capacityBytes() {
        return replica.extent().lengthBytes();
    }

    /** {@link #append(ByteSource, int[])} of what is between position and limit of {@code data}. */
    public void append(ByteBuffer data, int @Nullable [] pieceChecksums) throws TatamiException {
        append(ScatteredBytes.of(data), pieceChecksums);
    }

    /**
     * Appends all of {@code data}, of any length and alignment; nothing is durable or visible by that. The bytes are
     * copied, and what is verified is the copy: the data are the caller's again on return, and may change meanwhile.
     * Where this throws, those of the bytes were taken that lie within units before the one it failed in, and no
     * others.
     *
     * @param pieceChecksums the CRC32C that the sender gave for each piece of the data, cut at the 64 KiB boundaries of
     *     the block; null to have them computed here
     * @throws TatamiException CORRUPT where a checksum does not match, BUSY where no buffer became free in time, the
     *     failure of {@code data}, or NO_SPACE where the block's room is too small and cannot grow (detail: the room it
     *     has): in all of these the writer may be used on from {@link #lengthBytes}; FENCED; NO_SUCH_BLOCK after a
     *     delete; IO_ERROR
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
     * Lets readers see the first {@code lengthBytes} bytes; less than before changes nothing. To be called once the
     * replicas behind this one have them in memory, and before they are acknowledged: a recovery that fences this
     * writer later keeps them.
     *
     * @throws TatamiException FENCED or NO_SUCH_BLOCK, with nothing made visible: the bytes must not be acknowledged
     */
    public void makeVisible(long lengthBytes) throws TatamiException {
        replica.makeVisible(this, lengthBytes);
    }

    /**
     * Makes all bytes durable: they are written, the device is flushed, and the index has length, generation and
     * checksums in one synced batch. They become visible too.
     *
     * @return the durable length
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
     * Sees to it that all bytes survive the end of this process, though not of the host: they are written, and what the
     * index would have to say of them is kept beside it; neither is flushed. Where that cannot be had, as for a block
     * of which the index knows nothing yet or too little, this is a {@link #sync}. Makes nothing visible.
     *
     * @return up to where the bytes are durable, too
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
     * {@link #sync()} without making anything visible: for a stream that ends before the replicas behind this one are
     * known to have all bytes.
     *
     * @throws TatamiException as {@link #sync}
     */
    public void persist() throws TatamiException {
        try (Replica.Change change = replica.change()) {
            committer.persist(change, change.openFor(this), generation);
        }
    }

    /**
     * {@link #sync()}, and the block is finalized: the room it did not fill is free again, and this writer is used up.
     *
     * @return the final length
     */
    public long finish() throws TatamiException {
        try (Replica.Change change = replica.change()) {
            OpenBlock open = change.openFor(this);
            committer.finish(change, open, generation);
            return open.lengthBytes();
        }
    }

    /**
     * Throws away what was not synced, as a crash of the server would: a block that was never synced is gone and its
     * room is free, any other keeps its last durable length. This writer is used up.
     */
    public void abort() throws TatamiException {
        try (Replica.Change change = replica.change()) {
            committer.abort(change, change.openFor(this));
        }
    }

    /**
     * Lets go of the block without finishing it, as when the connection to its writer breaks: its bytes stay readable,
     * those not durable too, until {@link Volume#reopen} goes on with it or the server stops. Memory is freed as far as
     * possible. Does nothing once the writer is used up or fenced.
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
