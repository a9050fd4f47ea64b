package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessKind;
import io.tatami.block.device.AccessTimes;
import io.tatami.block.volume.format.SuperblockFormat;
import io.tatami.block.volume.index.BlockIndex;
import io.tatami.block.volume.index.CopyNumbers;
import io.tatami.block.volume.space.Extent;
import io.tatami.block.volume.space.ExtentAllocator;
import io.tatami.block.volume.space.PlacedBlock;
import io.tatami.block.volume.space.Reservation;
import io.tatami.files.CrashPoint;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A disk full of blocks: what the data port writes to and reads from. Opened by {@link VolumeOpener}. Safe for use by
 * many threads; calls block on the disk.
 *
 * <p>What a call made durable survives a power cut at any moment after it returned. The first error of a write, a flush
 * or the index stops the volume: this call and all later ones fail with IO_ERROR, and the process must open it anew.
 */
public final class Volume implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Volume.class);

    /** What the file system of the index must have left for a new block, so that deletes can still be written. */
    private static final long INDEX_RESERVE_BYTES = 64L << 20;

    private final SuperblockFormat.Superblock superblock;
    private final VolumeParts parts;
    private final ConcurrentNavigableMap<BlockId, Replica> replicas;
    private final BlockCommitter committer;
    private final BatchFinish batchFinish;
    private final BlockReopener reopener;
    private final BlockRelocator relocator;
    private final FirstWrites firstWrites;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile boolean closedToNew;

    /**
     * @param replicas by rising id: the blocks that the index names, their extents claimed from the allocator of
     *     {@code parts}
     * @param unwritten what {@link BlockIndex#unwritten} says
     */
    Volume(
            SuperblockFormat.Superblock superblock,
            VolumeParts parts,
            ConcurrentNavigableMap<BlockId, Replica> replicas,
            Extent unwritten) {
        this.superblock = superblock;
        this.parts = parts;
        this.replicas = replicas;
        this.committer = new BlockCommitter(parts, replicas);
        this.batchFinish = new BatchFinish(parts, committer);
        this.reopener = new BlockReopener(parts, committer);
        this.relocator = new BlockRelocator(parts, replicas);
        this.firstWrites = new FirstWrites(parts, unwritten);
    }

    /** The id given when the volume was formatted. */
    public UUID id() {
        return superblock.volume();
    }

    /** {@link #create(BlockId, Generation, Reservation)} where any room will do. */
    public BlockWriter create(BlockId block, Generation generation, long reservedBytes, boolean shortFromStart)
            throws TatamiException {
        return create(block, generation, new Reservation(reservedBytes, 1, shortFromStart));
    }

    /** {@link #create(BlockId, Generation, Reservation, int)} of a copy that was granted with the block. */
    public BlockWriter create(BlockId block, Generation generation, Reservation room) throws TatamiException {
        return create(block, generation, room, 0);
    }

    /**
     * Begins a block. Nothing is durable before the first {@link BlockWriter#sync()}: after a crash before it, the
     * block never was.
     *
     * @param room how much to take; where no free extent is as long, the longest is taken, and
     *     {@link BlockWriter#capacityBytes()} tells
     * @param copyNumber of this copy, durable with the first sync
     * @throws TatamiException ALREADY_EXISTS; NO_SPACE where the longest is too short, or the volume is closed to new
     *     blocks; IO_ERROR
     */
    public BlockWriter create(BlockId block, Generation generation, Reservation room, int copyNumber)
            throws TatamiException {
        parts.failStop().check();
        throwIfClosedToNew();
        throwIfIndexIsFull();
        if (!parts.coming().add(block)) {
            throw alreadyExists(block);
        }
        try {
            return createAlone(block, generation, room, copyNumber);
        } finally {
            parts.coming().remove(block);
        }
    }

    /** While nobody else begins the block here, and it does not come from another volume. */
    private BlockWriter createAlone(BlockId block, Generation generation, Reservation room, int copyNumber)
            throws TatamiException {
        if (replicas.containsKey(block)) {
            throw alreadyExists(block);
        }
        ExtentAllocator.End end = room.shortFromStart() ? ExtentAllocator.End.HIGH : ExtentAllocator.End.LOW;
        Extent extent = parts.allocate(room.wantedBytes(), room.neededBytes(), end);
        CopyNumbers numbers = CopyNumbers.begun(copyNumber, generation);
        Replica replica = Replica.begun(block, numbers, OpenBlock.begin(parts, block, extent));
        BlockWriter writer = new BlockWriter(parts, committer, replica, generation);
        try (Replica.Change change = replica.change()) {
            change.replaceWriter(writer);
        }
        Replica before = replicas.putIfAbsent(block, replica);
        Check.check(before == null, "%s was begun twice", block);
        CrashPoint.hit("volume.create.begun");
        // A check for blocks after the close may have taken the volume for empty.
        if (closedToNew) {
            writer.abort();
            throwIfClosedToNew();
        }
        return writer;
    }

    /** Asked of a block that is about to be finalized with others. */
    @FunctionalInterface
    public interface LastLook {
        /** @throws TatamiException why the block is not wanted any more; must return soon */
        void requireWanted(BlockWriter writer) throws TatamiException;
    }

    /**
     * {@link BlockWriter#finish()} of blocks that were never synced, with one flush for all of them and one synced
     * batch of the index. Until that is durable none is visible, and a crash leaves none of them.
     *
     * @param writers each after its {@link BlockWriter#writeOut}
     * @param lastLook asked for each between flush and batch, while nobody else can change the block
     * @return why those that are not finalized are not: what the last look said, FENCED, or NO_SUCH_BLOCK after a
     *     delete; the caller is to {@linkplain BlockWriter#abort abort} them
     * @throws TatamiException IO_ERROR or NO_SPACE, and none is finalized, though a crash may show that all are
     *     durable; the caller is to abort all of them
     */
    public Map<BlockWriter, TatamiException> finish(List<BlockWriter> writers, LastLook lastLook)
            throws TatamiException {
        return batchFinish.finish(writers, lastLook);
    }

    /**
     * Whether to take no new blocks, from the end of this call on; those that are there can be changed as before. Not
     * kept over a restart.
     */
    public void closeToNew(boolean close) {
        closedToNew = close;
    }

    public boolean isClosedToNew() {
        return closedToNew;
    }

    private void throwIfClosedToNew() throws TatamiException {
        if (closedToNew) {
            throw new TatamiException(
                    ErrorCode.NO_SPACE, parts.device().name() + " takes no new blocks, as it is drained");
        }
    }

    /**
     * Goes on with a block after its first {@code lengthBytes} bytes: append to a finalized block, or recovery of one
     * that was being written, by a live writer or before a crash. What lies beyond is cut off, the generation is
     * adopted, and both are durable, like the bytes kept, when this returns. The writer before, if any, is fenced.
     *
     * @param newGeneration at least the one promised
     * @param reservedBytes how much room the block should have in the end; as much as there is is taken, see
     *     {@link BlockWriter#capacityBytes()}
     * @throws TatamiException NO_SUCH_BLOCK; FENCED where it is fenced under a higher generation; INVALID_ARGUMENT
     *     where it is shorter than {@code lengthBytes}; CORRUPT where the last chunk kept fails its checksum; NO_SPACE;
     *     IO_ERROR
     */
    public BlockWriter reopen(BlockId block, Generation newGeneration, long lengthBytes, long reservedBytes)
            throws TatamiException {
        parts.failStop().check();
        Replica replica = replica(block);
        try (Replica.Change change = replica.change()) {
            return reopener.reopen(change, newGeneration, lengthBytes, reservedBytes);
        }
    }

    /**
     * Cuts a block to {@code lengthBytes} (its own length is allowed), adopts the generation, finalizes it and frees
     * the room beyond, durably. After a crash in the middle the block has either length and either generation.
     *
     * @throws TatamiException as {@link #reopen}
     */
    public void truncate(BlockId block, Generation newGeneration, long lengthBytes) throws TatamiException {
        Replica replica = replica(block);
        // In one step: a deletion that waits for the cut comes after its end, not between its halves.
        try (Replica.Change change = replica.change()) {
            parts.failStop().check();
            reopener.reopen(change, newGeneration, lengthBytes, lengthBytes).finish();
        }
    }

    /**
     * Adopts a generation durably and fences the block's writer; a generation equal to the block's own changes nothing.
     *
     * @throws TatamiException NO_SUCH_BLOCK; FENCED where the block is fenced under a higher generation; IO_ERROR
     */
    public void setGeneration(BlockId block, Generation generation) throws TatamiException {
        parts.failStop().check();
        Replica replica = replica(block);
        try (Replica.Change change = replica.change()) {
            replica.throwIfDeleted();
            replica.throwIfPromisedAbove(generation);
            if (replica.generation().isBelow(generation)) {
                committer.adopt(change, generation);
            }
        }
    }

    /**
     * Promises durably that no writer and no finalization below {@code generation} is taken any more. The writer loses
     * its right. The bytes, and their generation, stay as they are. What was promised before, or more, changes nothing.
     *
     * @return whether this raised the promise
     * @throws TatamiException NO_SUCH_BLOCK; FENCED where a higher generation was promised; IO_ERROR
     */
    public boolean fence(BlockId block, Generation generation) throws TatamiException {
        parts.failStop().check();
        Replica replica = replica(block);
        try (Replica.Change change = replica.change()) {
            return committer.fence(change, generation);
        }
    }

    /**
     * {@link #truncate} that can be repeated: a block that has the generation and is finalized at this length stays as
     * it is. A generation has one length, so that a late repetition with another one harms nothing.
     *
     * @return whether this changed the block
     * @throws TatamiException as {@link #reopen}; INVALID_ARGUMENT also where the block is finalized under this
     *     generation at another length
     */
    public boolean finalizeAt(BlockId block, Generation generation, long lengthBytes) throws TatamiException {
        Replica replica = replica(block);
        try (Replica.Change change = replica.change()) {
            parts.failStop().check();
            return reopener.finalizeAt(change, generation, lengthBytes);
        }
    }

    /**
     * Deletes a block durably and frees its room at once; its writer and readers fail with NO_SUCH_BLOCK. Works on a
     * full volume. Does nothing where the copy with this number is not here.
     *
     * @param copyNumber a copy with another one is left
     * @param generationMax for number 0: nothing above this generation is deleted
     * @return whether a copy was deleted
     * @throws TatamiException FENCED where the copy has a higher generation; IO_ERROR
     */
    public boolean delete(BlockId block, int copyNumber, Generation generationMax) throws TatamiException {
        parts.failStop().check();
        Replica replica = replicas.get(block);
        if (replica == null) {
            return false;
        }
        try (Replica.Change change = replica.change()) {
            if (replicas.get(block) != replica || replica.numbers().number() != copyNumber) {
                return false;
            }
            if (copyNumber == 0) {
                replica.throwIfAbove(generationMax);
            }
            committer.delete(change);
            return true;
        }
    }

    /**
     * Deletes a copy as {@link #delete(BlockId, int, Generation)}, if it still is as it was found.
     *
     * @return whether it was deleted
     */
    public boolean deleteUnchanged(StoredBlock found) throws TatamiException {
        parts.failStop().check();
        Replica replica = replicas.get(found.block());
        if (replica == null) {
            return false;
        }
        try (Replica.Change change = replica.change()) {
            if (replicas.get(found.block()) != replica || !replica.describe().equals(found)) {
                return false;
            }
            committer.delete(change);
            return true;
        }
    }

    /** Moves blocks from this volume to another one of the same server. */
    public BlockTransfer transferTo(Volume target, BlockTransfer.Listener listener) {
        BlockTransfer.Side here = new BlockTransfer.Side(parts, replicas, committer);
        BlockTransfer.Side there = new BlockTransfer.Side(target.parts, target.replicas, target.committer);
        return new BlockTransfer(here, there, target::isClosedToNew, listener);
    }

    /** {@link #delete(BlockId, int, Generation)} of a copy that was granted with the block. */
    public void delete(BlockId block, Generation generationMax) throws TatamiException {
        boolean unused = delete(block, 0, generationMax);
    }

    /**
     * Opens a reader of {@code lengthBytes} bytes from {@code offsetBytes}; cheap, nothing of the data is read yet.
     *
     * @param generationMin the copy must have this generation at least
     * @throws TatamiException NO_SUCH_BLOCK where the block is not here, or only with a lower generation;
     *     INVALID_ARGUMENT where the range is not all visible; CORRUPT where the index's checksums are damaged;
     *     IO_ERROR
     */
    public BlockReader read(BlockId block, Generation generationMin, long offsetBytes, long lengthBytes)
            throws TatamiException {
        return read(block, generationMin, offsetBytes, lengthBytes, UnitCopies.NONE);
    }

    /**
     * {@link #read(BlockId, Generation, long, long)} that asks for copies of the units first.
     *
     * @param copies what is wrong with them never fails a read
     */
    public BlockReader read(
            BlockId block, Generation generationMin, long offsetBytes, long lengthBytes, UnitCopies copies)
            throws TatamiException {
        return read(block, generationMin, offsetBytes, lengthBytes, copies, readMemory(null));
    }

    /** {@link #read(BlockId, Generation, long, long, UnitCopies)} into memory of the caller's. */
    public BlockReader read(
            BlockId block,
            Generation generationMin,
            long offsetBytes,
            long lengthBytes,
            UnitCopies copies,
            UnitMemory memory)
            throws TatamiException {
        return reader(AccessKind.READ, block, generationMin, offsetBytes, lengthBytes, copies, memory);
    }

    /** {@link #read(BlockId, Generation, long, long)} for somebody who can wait for all others. */
    public BlockReader readInBackground(BlockId block, Generation generationMin, long offsetBytes, long lengthBytes)
            throws TatamiException {
        AccessKind kind = AccessKind.BACKGROUND;
        return reader(kind, block, generationMin, offsetBytes, lengthBytes, UnitCopies.NONE, readMemory(null));
    }

    /** {@link #readInBackground(BlockId, Generation, long, long)} into memory of the caller's. */
    public BlockReader readInBackground(
            BlockId block, Generation generationMin, long offsetBytes, long lengthBytes, UnitMemory memory)
            throws TatamiException {
        AccessKind kind = AccessKind.BACKGROUND;
        return reader(kind, block, generationMin, offsetBytes, lengthBytes, UnitCopies.NONE, memory);
    }

    /** Units of 4 MiB that all who write to the volume share. */
    public int writeBuffers() {
        return parts.resources().writeBuffers().buffers();
    }

    /** Whether a reader waits for a buffer that somebody else holds. */
    public boolean isReadMemoryWaitedFor() {
        return parts.resources().readBuffers().isWaitedFor();
    }

    /** @param owner of all readers that may together hold half of the volume's read buffers; null for no limit */
    public UnitMemory readMemory(@Nullable String owner) {
        VolumeResources resources = parts.resources();
        return new UnitMemory(
                resources.readBuffers(), false, owner, resources.settings().bufferWaitMillis());
    }

    private BlockReader reader(
            AccessKind kind,
            BlockId block,
            Generation generationMin,
            long offsetBytes,
            long lengthBytes,
            UnitCopies copies,
            UnitMemory memory)
            throws TatamiException {
        parts.failStop().checkReads();
        Replica replica = replica(block);
        Replica.View view = view(replica, generationMin, offsetBytes, lengthBytes);
        return new BlockReader(parts, kind, replica, view, copies, memory, offsetBytes, offsetBytes + lengthBytes);
    }

    /**
     * The stored CRC32C of each chunk of the visible bytes from {@code offsetBytes}, a multiple of 64 KiB, on; the last
     * may be of a short chunk. The data is not read.
     *
     * @throws TatamiException as {@link #read}
     */
    public int[] checksums(BlockId block, Generation generationMin, long offsetBytes, long lengthBytes)
            throws TatamiException {
        Check.check(offsetBytes % ChunkChecksum.CHUNK_BYTES == 0, "checksums from %d", offsetBytes);
        parts.failStop().checkReads();
        return view(replica(block), generationMin, offsetBytes, lengthBytes).checksums();
    }

    /**
     * From now on {@code listener} hears of each copy that is found damaged, once: by readers, scrubs and moves alike,
     * on the thread that found it; it must return soon. There is one listener.
     */
    public void onDamagedCopy(Consumer<StoredBlock> listener) {
        parts.damage().onDamagedCopy(listener);
    }

    /** What is here of a block, if anything. */
    public Optional<StoredBlock> find(BlockId block) {
        return Optional.ofNullable(replicas.get(block)).map(Replica::describe);
    }

    /** Whether a block is here that is not being deleted, and has not gone to another volume. */
    public boolean has(BlockId block) {
        Replica replica = replicas.get(block);
        return replica != null && !replica.isDeleted();
    }

    /** All blocks here, by rising id. Not a snapshot: each element is right at a moment during the call. */
    public List<StoredBlock> blocks() {
        return replicas.values().stream().map(Replica::describe).toList();
    }

    /**
     * The first blocks here above {@code after} and up to {@code upTo}, by rising id; none where {@code upTo} is not
     * above. Looks at no others: those who go through all blocks a page at a time do so in one pass. As
     * {@link #blocks()}, not a snapshot.
     */
    public List<StoredBlock> blocks(BlockId after, BlockId upTo, int limit) {
        return after.value() >= upTo.value()
                ? List.of()
                : replicas.subMap(after, false, upTo, true).values().stream()
                        .limit(limit)
                        .map(Replica::describe)
                        .toList();
    }

    public VolumeStatistics statistics() {
        ExtentAllocator allocator = parts.allocator();
        return new VolumeStatistics(
                allocator.capacityBytes(),
                allocator.freeBytes(),
                allocator.usedBytes(),
                allocator.largestFreeBytes(),
                replicas.size(),
                parts.device().readBytes(),
                parts.device().writtenBytes(),
                parts.device().errors(),
                parts.damage().damagedChunks(),
                relocator.movedBytes(),
                parts.failStop().reason());
    }

    /** Whether what is committed can be read; not for long where {@link VolumeStatistics#failure} is not empty. */
    public boolean isReadable() {
        return !parts.failStop().stopsReads();
    }

    /** How long its device takes. */
    public AccessTimes accessTimes() {
        return parts.device().times();
    }

    /**
     * Waits for the I/O under way, then closes index and device. What was not synced is lost, as in a crash; call it
     * after the last user has gone. A second call does nothing. Where the device hangs, device and index are left as
     * they are, to the end of the process: to close them would wait too, and who waits for the device may yet use both.
     */
    @Override
    public void close() throws TatamiException {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        parts.failStop().stop(new TatamiException(ErrorCode.UNAVAILABLE, "the volume is closed"));
        if (!parts.threads().close(accessTimes()::isHanging)) {
            LOG.warn(
                    "volume {} hangs, and is left to the end of this process",
                    parts.device().name());
            return;
        }
        for (Replica replica : replicas.values()) {
            discard(replica);
        }
        parts.flushedEnds().close();
        try {
            parts.index().close();
        } finally {
            parts.device().close();
        }
    }

    /** The blocks in the order of their addresses, for who reads all of them. */
    public List<StoredBlock> blocksByAddress() {
        return replicas.values().stream()
                .sorted(Comparator.comparingLong(replica -> replica.extent().offsetBytes()))
                .map(Replica::describe)
                .toList();
    }

    /**
     * What is damaged of superblock and index, one sentence each. A damaged copy of the superblock is whole again
     * afterwards; for an index the remedy is to format the volume anew, and to let other replicas replace its blocks.
     *
     * @throws TatamiException IO_ERROR
     */
    public List<String> findStructureDamage() throws TatamiException {
        List<String> damages = new ArrayList<>();
        parts.threads().stream(AccessKind.BACKGROUND)
                .submit(
                        (int) SuperblockFormat.DATA_OFFSET,
                        () -> damages.addAll(SuperblockFormat.repair(parts.device(), superblock)))
                .await();
        damages.addAll(parts.index().findDamage());
        return damages;
    }

    /** Where the blocks are, in no order. Not a snapshot: each element is right at a moment while it is looked at. */
    public Iterable<PlacedBlock> placedBlocks() {
        return () -> replicas.values().stream().map(Replica::placed).iterator();
    }

    /** What blocks may have, and what of it none has, by rising address. */
    public ExtentAllocator allocator() {
        return parts.allocator();
    }

    public BlockRelocator relocator() {
        return relocator;
    }

    public FirstWrites firstWrites() {
        return firstWrites;
    }

    /** Whether somebody waits for the device now. */
    public boolean isBusy() {
        return parts.threads().isBusy();
    }

    /** @throws TatamiException what stopped the volume */
    public void throwIfStopped() throws TatamiException {
        parts.failStop().check();
    }

    private Replica.View view(Replica replica, Generation generationMin, long offsetBytes, long lengthBytes)
            throws TatamiException {
        return parts.damage()
                .readTwice(replica, again -> replica.view(parts.index(), generationMin, offsetBytes, lengthBytes));
    }

    private Replica replica(BlockId block) throws TatamiException {
        Replica replica = replicas.get(block);
        if (replica == null) {
            throw new TatamiException(
                    ErrorCode.NO_SUCH_BLOCK,
                    "block " + block + " is not on " + parts.device().name());
        }
        return replica;
    }

    private TatamiException alreadyExists(BlockId block) {
        return new TatamiException(
                ErrorCode.ALREADY_EXISTS,
                "block " + block + " is already on " + parts.device().name());
    }

    private void throwIfIndexIsFull() throws TatamiException {
        long usableBytes = parts.index().usableBytes();
        if (usableBytes < INDEX_RESERVE_BYTES) {
            throw new TatamiException(
                    ErrorCode.NO_SPACE,
                    "the file system of the block index has only " + usableBytes + " bytes free, and "
                            + INDEX_RESERVE_BYTES + " are reserved for deletions; free space on it");
        }
    }

    private static void discard(Replica replica) {
        try (Replica.Change change = replica.change()) {
            OpenBlock open = change.replica().open();
            if (open != null) {
                open.discard();
            }
        }
    }
}
