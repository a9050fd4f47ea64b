package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.index.BlockIndex;
import io.tatami.block.volume.index.BlockRecord;
import io.tatami.block.volume.index.CopyNumbers;
import io.tatami.block.volume.space.Extent;
import io.tatami.files.CrashPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentMap;

/**
 * Makes a block's bytes durable, in this order: write, flush, record in the index. Room is given back only after the
 * index has dropped it.
 */
final class BlockCommitter {
    private final VolumeParts parts;
    private final ConcurrentMap<BlockId, Replica> replicas;

    /** @param replicas the volume's blocks; blocks that never became durable are removed from it */
    BlockCommitter(VolumeParts parts, ConcurrentMap<BlockId, Replica> replicas) {
        this.parts = parts;
        this.replicas = replicas;
    }

    /** @see BlockWriter#sync */
    void sync(Replica.Change change, OpenBlock open, Generation generation) throws TatamiException {
        persist(change, open, generation);
        change.replica().makeVisible(open.lengthBytes());
    }

    /** @see BlockWriter#persist */
    void persist(Replica.Change change, OpenBlock open, Generation generation) throws TatamiException {
        open.drain(false);
        CrashPoint.hit("volume.sync.after-write");
        open.flush();
        CrashPoint.hit("volume.sync.after-flush");
        commit(change, open, generation);
        CrashPoint.hit("volume.sync.after-commit");
    }

    /**
     * Makes all bytes survive the end of this process.
     *
     * @return whether the end of the block is kept beside the index; otherwise the bytes were synced
     * @see BlockWriter#flush
     */
    boolean flush(Replica.Change change, OpenBlock open, Generation generation) throws TatamiException {
        open.drain(false);
        CrashPoint.hit("volume.flush.after-write");
        parts.failStop().check();
        BlockRecord entry = change.replica().committed();
        if (entry != null && open.mayRunAhead(entry, generation) && open.keepEndBehind(entry)) {
            CrashPoint.hit("volume.flush.after-keep");
            return true;
        }
        persist(change, open, generation);
        return false;
    }

    /**
     * Syncs the bytes of a block that were only flushed, before its index record is changed otherwise: such a change
     * invalidates the kept end of the block.
     */
    void catchUp(Replica.Change change) throws TatamiException {
        OpenBlock open = change.replica().open();
        BlockRecord entry = change.replica().committed();
        if (open != null && entry != null && open.isAheadOf(entry)) {
            open.retryWithoutRoom();
            persist(change, open, entry.generation());
        }
    }

    /** @see BlockWriter#finish */
    void finish(Replica.Change change, OpenBlock open, Generation generation) throws TatamiException {
        open.drain(true);
        CrashPoint.hit("volume.finish.after-write");
        open.flush();
        CrashPoint.hit("volume.finish.after-flush");
        BlockRecord entry = finalized(change, open, generation);
        put(change, open, entry);
        CrashPoint.hit("volume.finish.after-commit");
        adoptFinalized(change, open, entry);
        CrashPoint.hit("volume.finish.after-release");
    }

    /** A block all of whose bytes are on the device, flushed, and of which the index has nothing yet. */
    record Flushed(Replica.Change change, OpenBlock open, Generation generation) {}

    /** Finalizes blocks in one step of the index: all of them, or none where this throws. */
    void finish(List<Flushed> blocks) throws TatamiException {
        List<BlockIndex.Arrived> arrived = new ArrayList<>();
        for (Flushed block : blocks) {
            OpenBlock open = block.open();
            arrived.add(new BlockIndex.Arrived(
                    finalized(block.change(), open, block.generation()), open.checksums(0, open.chunks())));
        }
        parts.index().arrive(arrived);
        CrashPoint.hit("volume.batch.after-commit");
        try {
            for (int i = 0; i < blocks.size(); i++) {
                adoptFinalized(
                        blocks.get(i).change(),
                        blocks.get(i).open(),
                        arrived.get(i).entry());
            }
        } catch (RuntimeException e) {
            // The index has all of them, so nothing may be given their room any more.
            throw parts.failStop().stop(e);
        }
        CrashPoint.hit("volume.batch.after-release");
    }

    private static BlockRecord finalized(Replica.Change change, OpenBlock open, Generation generation) {
        long length = open.lengthBytes();
        return new BlockRecord(
                change.replica().block(),
                change.replica().numbers().adopting(generation),
                open.extent().head(length),
                length,
                BlockRecord.State.FINALIZED,
                BlockRecord.NO_TAIL);
    }

    /** Adopts what was committed of a block that is finalized by it. */
    private void adoptFinalized(Replica.Change change, OpenBlock open, BlockRecord entry) {
        change.commit(entry, null);
        boolean unused = open.forgetEnd();
        change.replica().makeVisible(entry.lengthBytes());
        parts.allocator().release(open.extent().rest(entry.lengthBytes()));
    }

    /** Records the block in the index as it is on the device, flushed, and in the open block's tail. */
    void commit(Replica.Change change, OpenBlock open, Generation generation) throws TatamiException {
        BlockRecord entry = new BlockRecord(
                change.replica().block(),
                change.replica().numbers().adopting(generation),
                open.extent(),
                open.lengthBytes(),
                BlockRecord.State.WRITING,
                open.tail());
        BlockRecord before = change.replica().committed();
        if (before == null || !before.sameAs(entry)) {
            put(change, open, entry);
        }
        change.commit(entry, open);
    }

    /** Records a new generation for the durable bytes, and fences the writer. */
    void adopt(Replica.Change change, Generation generation) throws TatamiException {
        catchUp(change);
        BlockRecord before = change.replica().committed();
        change.replaceWriter(null);
        CrashPoint.hit("volume.generation.before-commit");
        BlockRecord entry = durable(change.replica(), change.replica().numbers().adopting(generation));
        parts.index().put(before, entry);
        CrashPoint.hit("volume.generation.after-commit");
        OpenBlock open = change.replica().open();
        change.commit(entry, open);
        boolean unused = open == null || open.forgetEnd();
    }

    /**
     * Records a promise beside the bytes, of which nothing changes. What was flushed and not synced stays kept beside
     * the index.
     *
     * @see Volume#fence
     */
    boolean fence(Replica.Change change, Generation generation) throws TatamiException {
        Replica replica = change.replica();
        replica.throwIfDeleted();
        replica.throwIfPromisedAbove(generation);
        if (!replica.numbers().promised().isBelow(generation)) {
            return false;
        }
        change.replaceWriter(null);
        OpenBlock open = replica.open();
        if (open != null) {
            // It may stay open for long, and holds no buffer meanwhile.
            open.drainQuietly();
        }
        BlockRecord entry = durable(replica, replica.numbers().promising(generation));
        CrashPoint.hit("volume.fence.before-commit");
        parts.index().put(replica.committed(), entry);
        CrashPoint.hit("volume.fence.after-commit");
        change.commit(entry, open);
        return true;
    }

    /** What the index says of the block, or would of one whose bytes it does not have, with other numbers. */
    private static BlockRecord durable(Replica replica, CopyNumbers numbers) {
        BlockRecord committed = replica.committed();
        return committed == null
                ? new BlockRecord(
                        replica.block(), numbers, replica.extent(), 0, BlockRecord.State.WRITING, BlockRecord.NO_TAIL)
                : committed.withNumbers(numbers);
    }

    /** @see BlockWriter#abort */
    void abort(Replica.Change change, OpenBlock open) {
        BlockRecord committed = change.replica().committed();
        if (committed == null) {
            change.markDeleted();
            open.discard();
            forget(change, open.extent());
            return;
        }
        Extent grown = open.extent();
        change.revertToCommitted();
        open.discard();
        boolean unused = open.forgetEnd();
        parts.allocator().release(grown.rest(committed.extent().lengthBytes()));
    }

    /** @see BlockWriter#close */
    void detach(Replica.Change change) {
        change.replaceWriter(null);
        OpenBlock open = change.replica().open();
        if (open != null) {
            open.drainQuietly();
            BlockRecord entry = change.replica().committed();
            // Kept bytes that the index lacks are taken over at the next start.
            boolean unused = (entry != null && open.isAheadOf(entry)) || open.forgetEnd();
        }
    }

    /** @see Volume#delete */
    void delete(Replica.Change change) throws TatamiException {
        OpenBlock open = change.replica().open();
        Extent extent = change.replica().extent();
        BlockRecord committed = change.replica().committed();
        change.markDeleted();
        if (open != null) {
            open.discard();
        }
        if (committed != null) {
            CrashPoint.hit("volume.delete.before-commit");
            parts.index().delete(committed);
            CrashPoint.hit("volume.delete.after-commit");
        }
        boolean unused = open == null || open.forgetEnd();
        forget(change, extent);
        CrashPoint.hit("volume.delete.after-release");
    }

    /** Finalized blocks that are on another volume now, in one step of the index. */
    void leave(List<Replica.Change> blocks) throws TatamiException {
        List<BlockRecord> records = new ArrayList<>();
        for (Replica.Change change : blocks) {
            BlockRecord committed = change.replica().committed();
            if (committed == null) {
                throw new IllegalStateException("block " + change.replica().block() + " is not in the index");
            }
            change.markDeleted();
            records.add(committed);
        }
        CrashPoint.hit("volume.transfer.before-leave");
        parts.index().delete(records);
        CrashPoint.hit("volume.transfer.after-leave");
        for (int i = 0; i < records.size(); i++) {
            forget(blocks.get(i), records.get(i).extent());
        }
    }

    private void forget(Replica.Change change, Extent extent) {
        change.markDeleted();
        replicas.remove(change.replica().block(), change.replica());
        parts.allocator().release(extent);
    }

    private void put(Replica.Change change, OpenBlock open, BlockRecord entry) throws TatamiException {
        BlockRecord before = change.replica().committed();
        long lengthBefore = before == null ? 0 : before.lengthBytes();
        if (before != null && lengthBefore == entry.lengthBytes()) {
            parts.index().put(before, entry);
            return;
        }
        int firstChanged = (int) (Math.min(lengthBefore, entry.lengthBytes()) / ChunkChecksum.CHUNK_BYTES);
        int chunksBefore = ChunkChecksum.pieces(0, lengthBefore);
        BlockIndex.ChecksumUpdate checksums =
                new BlockIndex.ChecksumUpdate(open.checksums(), firstChanged, open.chunks(), chunksBefore);
        parts.index().put(before, entry, checksums);
    }
}
