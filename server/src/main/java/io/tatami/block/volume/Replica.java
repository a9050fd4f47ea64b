package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.Device;
import io.tatami.block.volume.index.BlockIndex;
import io.tatami.block.volume.index.BlockRecord;
import io.tatami.block.volume.index.CopyNumbers;
import io.tatami.block.volume.space.Extent;
import io.tatami.block.volume.space.PlacedBlock;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One block on this volume: its durable record, its open end, and its valid writer.
 *
 * <p>Three locks, taken in this order:
 *
 * <ol>
 *   <li>The {@link Change} is held by the one thread that changes the block, also during I/O. Only its methods change
 *       what is durable, open or valid here, so what its holder has read of the block stays true.
 *   <li>This object's monitor makes one step, for readers, of each change. It is never held during I/O.
 *   <li>The {@linkplain OpenBlock open block's} monitor is the one that device threads report to. It is not this
 *       object's: the end of a write would wait for a reader that copies checksums, and all readers of the block for a
 *       write that ends.
 * </ol>
 */
final class Replica {
    private static final long CHUNK_BYTES = ChunkChecksum.CHUNK_BYTES;

    private final ReentrantLock changing = new ReentrantLock();
    private final Change change = new Change();
    private final BlockId block;
    private CopyNumbers numbers;
    private @Nullable BlockRecord committed;
    private @Nullable OpenBlock open;
    private @Nullable BlockWriter writer;
    private long visibleBytes;
    private boolean deleted;

    /** Whether the block was being written before the last boot of the host, and was not continued since. */
    private boolean mayLackFlushed;

    private boolean damaged;

    /** Increased when bytes that a reader may be reading are given up or moved. */
    private int version;

    /** Increased when the unchanged bytes of the block are at another place. */
    private int moves;

    private Replica(BlockId block, CopyNumbers numbers, @Nullable BlockRecord committed, @Nullable OpenBlock open) {
        this.block = block;
        this.numbers = numbers;
        this.committed = committed;
        this.open = open;
        this.visibleBytes = committed == null ? 0 : committed.lengthBytes();
    }

    /** A new block, which is only in memory. */
    static Replica begun(BlockId block, CopyNumbers numbers, OpenBlock open) {
        return new Replica(block, numbers, null, open);
    }

    /**
     * A block found in the index.
     *
     * @param isWhole whether it has all bytes that were ever flushed
     */
    static Replica found(BlockRecord entry, boolean isWhole) {
        Replica replica = new Replica(entry.block(), entry.numbers(), entry, null);
        replica.mayLackFlushed = !isWhole;
        return replica;
    }

    BlockId block() {
        return block;
    }

    synchronized CopyNumbers numbers() {
        return numbers;
    }

    Generation generation() {
        return numbers().generation();
    }

    /** The record in the index; null for a block that was never synced. */
    synchronized @Nullable BlockRecord committed() {
        return committed;
    }

    /**
     * The open end of the block, of a present or a former writer; null if the block was not written since the volume
     * was opened.
     */
    synchronized @Nullable OpenBlock open() {
        return open;
    }

    /** The extent taken for the block, which may be longer than the one committed. */
    synchronized Extent extent() {
        if (open != null) {
            return open.extent();
        }
        return committed == null ? Extent.EMPTY : committed.extent();
    }

    synchronized PlacedBlock placed() {
        boolean movable = open == null && !deleted && !damaged && committed != null && committed.isFinalized();
        return new PlacedBlock(block, extent(), movable);
    }

    synchronized StoredBlock describe() {
        boolean finalized = open == null && committed != null && committed.isFinalized();
        long durableBytes = committed == null ? 0 : committed.lengthBytes();
        long heldBytes = open == null ? durableBytes : open.lengthBytes();
        return new StoredBlock(
                block, numbers, durableBytes, visibleBytes, heldBytes, finalized, damaged, mayLackFlushed);
    }

    synchronized void makeVisible(long lengthBytes) {
        visibleBytes = Math.max(visibleBytes, lengthBytes);
    }

    /**
     * {@link #makeVisible(long)}, in one step with the check that {@code asking} is the block's valid writer.
     *
     * @throws TatamiException NO_SUCH_BLOCK or FENCED
     */
    synchronized void makeVisible(BlockWriter asking, long lengthBytes) throws TatamiException {
        makeVisible(Math.min(lengthBytes, openOf(asking).lengthBytes()));
    }

    /** Marks the block as damaged; returns false if it was marked already. */
    synchronized boolean markDamaged() {
        boolean isNews = !damaged;
        damaged = true;
        return isNews;
    }

    synchronized boolean isWriter(BlockWriter asking) {
        return writer == asking && !deleted;
    }

    private OpenBlock openOf(BlockWriter asking) throws TatamiException {
        throwIfDeleted();
        if (writer != asking || open == null) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    "block " + block + " has promised generation " + numbers.promised()
                            + ", and this writer has been fenced");
        }
        return open;
    }

    /** Waits until no other thread changes the block. The same thread closes it; it may have several at once. */
    Change change() {
        changing.lock();
        return change;
    }

    /** {@link #change} without waiting; null if another thread changes the block. */
    @Nullable
    Change tryChange() {
        return changing.tryLock() ? change : null;
    }

    /** The right to change the block, from {@link Replica#change} to {@link #close}, for one thread at a time. */
    final class Change implements AutoCloseable {
        private Change() {}

        Replica replica() {
            return Replica.this;
        }

        /**
         * The open block, for its valid writer.
         *
         * @throws TatamiException NO_SUCH_BLOCK or FENCED
         */
        OpenBlock openFor(BlockWriter asking) throws TatamiException {
            synchronized (Replica.this) {
                return openOf(asking);
            }
        }

        /** Makes {@code next} the only valid writer; null for none. */
        void replaceWriter(@Nullable BlockWriter next) {
            synchronized (Replica.this) {
                requireHeld();
                writer = next;
            }
        }

        /** Adopts what was committed. */
        void commit(BlockRecord entry, @Nullable OpenBlock stillOpen) {
            synchronized (Replica.this) {
                requireHeld();
                committed = entry;
                numbers = entry.numbers();
                open = stillOpen;
                if (stillOpen == null) {
                    writer = null;
                } else {
                    // A writer that goes on with a block knows its length.
                    mayLackFlushed = false;
                }
            }
        }

        /** Adopts a record that differs only in the extent; the bytes are there already. */
        void relocate(BlockRecord entry) {
            synchronized (Replica.this) {
                requireHeld();
                committed = entry;
                moves++;
            }
        }

        /** Goes back to the durable state, for a block that was committed before. */
        void revertToCommitted() {
            synchronized (Replica.this) {
                requireHeld();
                visibleBytes = Math.min(visibleBytes, committed == null ? 0 : committed.lengthBytes());
                open = null;
                writer = null;
                version++;
            }
        }

        /** Runs a step that gives up or moves bytes from {@code keptBytes} on, at once for readers. */
        void invalidateReaders(long keptBytes, Runnable step) {
            synchronized (Replica.this) {
                requireHeld();
                step.run();
                visibleBytes = Math.min(visibleBytes, keptBytes);
                version++;
            }
        }

        /** Marks the block as deleted for all users. */
        void markDeleted() {
            synchronized (Replica.this) {
                requireHeld();
                deleted = true;
                writer = null;
                version++;
            }
        }

        private void requireHeld() {
            Check.check(changing.isHeldByCurrentThread(), "a block is changed without the right to change it");
        }

        @Override
        public void close() {
            changing.unlock();
        }
    }

    synchronized boolean isDeleted() {
        return deleted;
    }

    synchronized void throwIfDeleted() throws TatamiException {
        if (deleted) {
            throw new TatamiException(ErrorCode.NO_SUCH_BLOCK, "block " + block + " was deleted");
        }
    }

    /** @throws TatamiException FENCED if the block is fenced under a generation above {@code newGeneration} */
    synchronized void throwIfPromisedAbove(Generation newGeneration) throws TatamiException {
        if (numbers.promised().isAbove(newGeneration)) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    "block " + block + " has promised generation " + numbers.promised() + ", above " + newGeneration);
        }
    }

    /** @throws TatamiException FENCED if the generation of the block's bytes is above {@code generationMax} */
    synchronized void throwIfAbove(Generation generationMax) throws TatamiException {
        if (numbers.generation().isAbove(generationMax)) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    "block " + block + " is at generation " + numbers.generation() + ", above " + generationMax);
        }
    }

    /**
     * Where the block's bytes are.
     *
     * @param moves how often they were moved unchanged before
     */
    record Location(Extent extent, int moves) {}

    synchronized Location location() {
        return new Location(extent(), moves);
    }

    /** @throws TatamiException NO_SUCH_BLOCK or BUSY, as {@link #checkVersion} */
    synchronized Location location(int seenVersion) throws TatamiException {
        checkVersion(seenVersion);
        return location();
    }

    /** Whether the block was at {@code seen} throughout a fetch; to be called after it. */
    synchronized boolean isStillAt(Location seen) {
        return moves == seen.moves;
    }

    /**
     * What a reader needs of the block, at this moment.
     *
     * @param lengthBytes the end of the bytes that the checksums cover
     * @param firstChunk the chunk of the first checksum
     * @param checksums of the chunks of the range; the last one up to {@code lengthBytes} if that lies within it
     */
    record View(Location location, int version, long lengthBytes, int firstChunk, int[] checksums) {
        /** The end of the whole chunks that must be read to verify the bytes before {@code endBytes}. */
        long checkedEnd(long endBytes) {
            return Math.min(lengthBytes, (endBytes + CHUNK_BYTES - 1) / CHUNK_BYTES * CHUNK_BYTES);
        }

        int checksumAt(long offsetBytes) {
            return checksums[(int) (offsetBytes / CHUNK_BYTES) - firstChunk];
        }

        /**
         * Where the first damaged chunk begins of the bytes from {@code start}, a chunk's, to {@code end}; -1 for none.
         */
        long firstDamaged(ByteBuffer bytes, long start, long end) {
            for (long at = start; at < end; at += CHUNK_BYTES) {
                int length = (int) Math.min(CHUNK_BYTES, end - at);
                if (ChunkChecksum.of(bytes, (int) (at - start), length) != checksumAt(at)) {
                    return at;
                }
            }
            return -1;
        }
    }

    /**
     * Checks a reader's range and looks up its checksums.
     *
     * @throws TatamiException as {@link Volume#read}
     */
    View view(BlockIndex index, Generation generationMin, long offsetBytes, long readBytes) throws TatamiException {
        int first = (int) (offsetBytes / ChunkChecksum.CHUNK_BYTES);
        int count = ChunkChecksum.pieces(offsetBytes, readBytes);
        Location seenLocation;
        int seenVersion;
        long lengthBytes;
        synchronized (this) {
            throwUnlessReadable(generationMin, offsetBytes, readBytes);
            OpenBlock current = open;
            if (current != null) {
                // Read together: the last checksum belongs to this length.
                synchronized (current) {
                    int[] checksums = current.checksums(first, first + count);
                    return new View(location(), version, current.lengthBytes(), first, checksums);
                }
            }
            seenLocation = location();
            seenVersion = version;
            lengthBytes = committed == null ? 0 : committed.lengthBytes();
        }
        int[] checksums;
        try {
            checksums = index.checksums(block, first, count);
        } catch (TatamiException e) {
            // Checksums that a deletion or a cut has removed from the index meanwhile are not missing.
            checkVersion(seenVersion);
            throw e;
        }
        checkVersion(seenVersion);
        return new View(seenLocation, seenVersion, lengthBytes, first, checksums);
    }

    /**
     * Collects bytes of the block, from memory and from the device. Called on a device thread.
     *
     * @param extent where the block was when the caller looked
     * @param start in the block, a multiple of 4 KiB
     * @param into receives the bytes from its index 0 on
     * @throws TatamiException IO_ERROR
     */
    void fetch(Device device, Extent extent, long start, long end, AlignedBuffer into) throws TatamiException {
        long deviceEnd = copyUnwritten(start, end, into.memory());
        if (deviceEnd > start) {
            int length = (int) Device.alignUp(deviceEnd - start);
            device.readFully(extent.offsetBytes() + start, into.range(0, length));
        }
    }

    /** Copies those bytes from {@code start} to {@code end} that the device does not have; returns where they begin. */
    private long copyUnwritten(long start, long end, ByteBuffer into) {
        OpenBlock current;
        BlockRecord entry;
        synchronized (this) {
            current = open;
            entry = committed;
        }
        if (current != null) {
            return current.copyUnwritten(start, end, into);
        }
        if (entry == null || entry.isFinalized()) {
            return end;
        }
        long tailStart = entry.lengthBytes() - entry.tail().length;
        long from = Math.max(start, tailStart);
        long to = Math.min(end, entry.lengthBytes());
        if (from < to) {
            into.put((int) (from - start), entry.tail(), (int) (from - tailStart), (int) (to - from));
        }
        return Math.max(start, Math.min(end, tailStart));
    }

    /**
     * Checks that the block did not change during a fetch; to be called after it.
     *
     * @throws TatamiException NO_SUCH_BLOCK or BUSY
     */
    synchronized void checkVersion(int seenVersion) throws TatamiException {
        throwIfDeleted();
        if (version != seenVersion) {
            throw new TatamiException(
                    ErrorCode.BUSY, "block " + block + " was cut or moved while it was read; read again");
        }
    }

    private void throwUnlessReadable(Generation generationMin, long offsetBytes, long readBytes)
            throws TatamiException {
        throwIfDeleted();
        if (numbers.generation().isBelow(generationMin)) {
            throw new TatamiException(
                    ErrorCode.NO_SUCH_BLOCK,
                    "block " + block + " has only generation " + numbers.generation() + " on this server, below "
                            + generationMin);
        }
        if (offsetBytes < 0 || readBytes < 0 || offsetBytes + readBytes > visibleBytes) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    readBytes + " bytes at " + offsetBytes + " of block " + block + " are not within its "
                            + visibleBytes + " visible bytes");
        }
    }
}
