package io.tatami.block.volume;

import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessKind;
import io.tatami.block.device.AccessStream;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.Device;
import io.tatami.block.volume.index.BlockRecord;
import io.tatami.block.volume.space.Extent;
import io.tatami.block.volume.space.ExtentAllocator;
import io.tatami.files.CrashPoint;
import java.nio.ByteBuffer;

/** Goes on with a block: gives it room, cuts it, and commits that before a byte of it is written again. */
final class BlockReopener {
    private final VolumeParts parts;
    private final BlockCommitter committer;

    BlockReopener(VolumeParts parts, BlockCommitter committer) {
        this.parts = parts;
        this.committer = committer;
    }

    /** @see Volume#reopen */
    BlockWriter reopen(Replica.Change change, Generation newGeneration, long lengthBytes, long reservedBytes)
            throws TatamiException {
        Replica replica = change.replica();
        replica.throwIfDeleted();
        replica.throwIfPromisedAbove(newGeneration);
        committer.catchUp(change);
        OpenBlock open = drained(replica);
        if (lengthBytes > open.lengthBytes()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "block " + replica.block() + " has " + open.lengthBytes() + " bytes, not " + lengthBytes);
        }
        change.replaceWriter(null);
        forgetEnd(replica, open, newGeneration, lengthBytes);
        Runnable cut = planCut(replica, open, lengthBytes);
        Extent left = makeRoom(change, open, Math.max(reservedBytes, lengthBytes));
        if (lengthBytes < open.lengthBytes()) {
            change.invalidateReaders(lengthBytes, cut);
        } else {
            cut.run();
        }
        CrashPoint.hit("volume.reopen.before-flush");
        open.flush();
        CrashPoint.hit("volume.reopen.before-commit");
        committer.commit(change, open, newGeneration);
        CrashPoint.hit("volume.reopen.after-commit");
        parts.allocator().release(left);
        CrashPoint.hit("volume.reopen.after-release");
        replica.makeVisible(lengthBytes);
        BlockWriter writer = new BlockWriter(parts, committer, replica, newGeneration);
        change.replaceWriter(writer);
        return writer;
    }

    /** @see Volume#finalizeAt */
    boolean finalizeAt(Replica.Change change, Generation generation, long lengthBytes) throws TatamiException {
        Replica replica = change.replica();
        replica.throwIfDeleted();
        replica.throwIfPromisedAbove(generation);
        StoredBlock stored = replica.describe();
        if (!stored.finalized() || stored.generation().isBelow(generation)) {
            long unused = reopen(change, generation, lengthBytes, lengthBytes).finish();
            return true;
        }
        if (stored.durableBytes() != lengthBytes) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "block " + replica.block() + " is finalized under generation " + generation + " with "
                            + stored.durableBytes() + " bytes, not " + lengthBytes);
        }
        return false;
    }

    /**
     * The index has what was kept. A cut to where the index ended before leaves in it, under the same generation, just
     * what it said when that was kept, so that it would count again.
     */
    private static void forgetEnd(Replica replica, OpenBlock open, Generation newGeneration, long lengthBytes)
            throws TatamiException {
        boolean isForgotten = open.forgetEnd();
        if (!isForgotten && newGeneration.equals(replica.generation()) && lengthBytes < open.lengthBytes()) {
            throw new TatamiException(
                    ErrorCode.IO_ERROR,
                    "block " + replica.block() + " cannot be cut to " + lengthBytes
                            + " bytes without a new generation, because later bytes were flushed");
        }
    }

    private OpenBlock drained(Replica replica) throws TatamiException {
        OpenBlock open = replica.open();
        if (open != null) {
            open.retryWithoutRoom();
            open.drain(false);
            return open;
        }
        BlockRecord entry = replica.committed();
        if (entry == null) {
            throw new IllegalStateException("block " + replica.block() + " is neither open nor in the index");
        }
        int chunks = ChunkChecksum.pieces(0, entry.lengthBytes());
        return OpenBlock.resume(parts, entry, parts.index().checksums(entry.block(), 0, chunks));
    }

    /**
     * Lengthens the extent in place, or moves the block to one that is long enough; where neither can be had, what
     * there is must do, unless that is nothing.
     *
     * @return the extent that is free once the block's new one is committed
     */
    private Extent makeRoom(Replica.Change change, OpenBlock open, long wantedBytes) throws TatamiException {
        Extent old = open.extent();
        if (wantedBytes <= old.lengthBytes()) {
            return Extent.EMPTY;
        }
        if (old.isEmpty()) {
            open.setExtent(parts.allocate(wantedBytes, 1, ExtentAllocator.End.LOW));
            return Extent.EMPTY;
        }
        Extent longer = parts.allocator().extend(old, wantedBytes);
        open.setExtent(longer);
        if (wantedBytes <= longer.lengthBytes() || parts.allocator().largestFreeBytes() < Device.alignUp(wantedBytes)) {
            return Extent.EMPTY;
        }
        try {
            move(change, open, wantedBytes);
        } catch (TatamiException | RuntimeException e) {
            parts.allocator().release(longer.rest(old.lengthBytes()));
            open.setExtent(old);
            throw e;
        }
        return longer;
    }

    private void move(Replica.Change change, OpenBlock open, long wantedBytes) throws TatamiException {
        Extent target = parts.allocate(wantedBytes, wantedBytes, ExtentAllocator.End.LOW);
        try {
            copy(change.replica(), open, target);
            CrashPoint.hit("volume.move.after-copy");
            parts.flush().flush();
            CrashPoint.hit("volume.move.after-flush");
        } catch (TatamiException | RuntimeException e) {
            parts.allocator().release(target);
            throw e;
        }
        change.invalidateReaders(open.lengthBytes(), () -> open.setExtent(target));
    }

    /** What is copied is checked first: damage is not carried along. */
    private void copy(Replica replica, OpenBlock open, Extent target) throws TatamiException {
        long deviceEnd = Device.alignUp(open.onDeviceBytes());
        AlignedBuffer buffer = parts.acquireWriteBuffer();
        AccessStream accesses = parts.threads().stream(AccessKind.WRITE);
        try {
            for (long start = 0; start < deviceEnd; start += Device.UNIT_BYTES) {
                long end = Math.min(open.lengthBytes(), start + Device.UNIT_BYTES);
                fetchChecked(replica, open, start, end, buffer);
                long offset = target.offsetBytes() + start;
                ByteBuffer sectors = buffer.range(0, (int) (Math.min(deviceEnd, start + Device.UNIT_BYTES) - start));
                accesses.submit(sectors.remaining(), () -> parts.device().write(offset, sectors))
                        .await();
            }
        } finally {
            buffer.release();
        }
    }

    /**
     * Prepares to give up what lies beyond {@code keptBytes}, and to have the part of its last sector that is kept in
     * memory; all that can fail is done here.
     */
    private Runnable planCut(Replica replica, OpenBlock open, long keptBytes) throws TatamiException {
        if (keptBytes == open.lengthBytes() && open.onDeviceBytes() <= Device.alignDown(keptBytes)) {
            return () -> {};
        }
        int kept = (int) (keptBytes % ChunkChecksum.CHUNK_BYTES);
        if (kept == 0) {
            return () -> open.cut(keptBytes, BlockRecord.NO_TAIL, ChunkChecksum.EMPTY);
        }
        AlignedBuffer buffer = parts.acquireWriteBuffer();
        try {
            long start = keptBytes - kept;
            long end = Math.min(open.lengthBytes(), start + ChunkChecksum.CHUNK_BYTES);
            fetchChecked(replica, open, start, end, buffer);
            int checksum = ChunkChecksum.of(buffer.memory(), 0, kept);
            byte[] tail = new byte[kept % Device.ALIGNMENT_BYTES];
            buffer.memory().get(kept - tail.length, tail);
            return () -> open.cut(keptBytes, tail, checksum);
        } finally {
            buffer.release();
        }
    }

    private void fetchChecked(Replica replica, OpenBlock open, long start, long end, AlignedBuffer buffer)
            throws TatamiException {
        Extent extent = open.extent();
        Replica.View view = new Replica.View(replica.location(), 0, open.lengthBytes(), 0, open.checksums());
        Object unused = parts.damage().readTwice(replica, again -> {
            parts.threads().stream(AccessKind.WRITE)
                    .submit((int) (end - start), () -> replica.fetch(parts.device(), extent, start, end, buffer))
                    .await();
            long damaged = view.firstDamaged(buffer.memory(), start, end);
            if (damaged >= 0) {
                throw parts.damage().mismatch(replica, damaged);
            }
            return view;
        });
    }
}
