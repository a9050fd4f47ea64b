package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessKind;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.Device;
import io.tatami.block.volume.index.BlockIndex;
import io.tatami.block.volume.index.BlockRecord;
import io.tatami.block.volume.space.Extent;
import io.tatami.block.volume.space.ExtentAllocator;
import io.tatami.files.CrashPoint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Moves finalized blocks from one volume of a server to another one, some at once: their bytes are read, checked,
 * written to free room there and flushed; one synced batch of the index there names them; and only then does one of the
 * index here drop them. Copy number, promise, generation and length stay. After a crash between the two steps both
 * volumes have the blocks.
 *
 * <p>A block that is changed meanwhile stays, as does one that is being written or is damaged. From the first step to
 * the second, changes of a block wait. Used by one thread.
 */
public final class BlockTransfer {
    /** Shorter blocks are put where short ones are. */
    private static final long SHORT_BYTES = Device.UNIT_BYTES;

    private final Side from;
    private final Side to;
    private final BooleanSupplier isClosed;
    private final Listener listener;

    /** The blocks that nobody begins there while they are moved. */
    private final Set<BlockId> kept = new HashSet<>();

    /** One of the two volumes. */
    record Side(VolumeParts parts, ConcurrentMap<BlockId, Replica> replicas, BlockCommitter committer) {}

    /** Hears how transfers go, on their thread. */
    public interface Listener {
        /** Before more is read: may wait; false has the transfer end. */
        boolean mayGoOn();

        /** So much was written there. */
        void copied(int bytes);

        /** Blocks are there, and are about to be dropped here. */
        void arrived();
    }

    /** What became of a block. */
    public enum Result {
        MOVED,
        /** It is not here any more. */
        GONE,
        /** It is being written, or waits for its recovery. */
        UNFINISHED,
        /** It was changed, or is being changed now, or is being begun there. */
        CHANGED,
        DAMAGED,
        /** Something of it is there. */
        PRESENT,
        NO_ROOM,
        /** The transfer was to end. */
        ENDED
    }

    BlockTransfer(Side from, Side to, BooleanSupplier isClosed, Listener listener) {
        this.from = from;
        this.to = to;
        this.isClosed = isClosed;
        this.listener = listener;
    }

    /** A block whose bytes are at a new place that nothing names yet. */
    private record Copied(Replica replica, BlockRecord before, Extent place, int[] checksums) {
        BlockRecord after() {
            return before.withExtent(place);
        }
    }

    /**
     * Moves blocks.
     *
     * @return what became of each, in this order
     * @throws TatamiException IO_ERROR where a write failed, and a volume has stopped; NO_SPACE where the file system
     *     under the volume file there, or under its index, is full
     */
    public Map<BlockId, Result> move(List<BlockId> blocks) throws TatamiException {
        Map<BlockId, Result> results = new LinkedHashMap<>();
        List<Copied> copied = new ArrayList<>();
        boolean isCommitting = false;
        try {
            for (BlockId block : blocks) {
                results.put(block, copy(block, copied));
            }
            if (!copied.isEmpty()) {
                CrashPoint.hit("volume.transfer.after-write");
                to.parts().flush().flush();
                CrashPoint.hit("volume.transfer.after-flush");
                isCommitting = true;
                commit(copied, results);
            }
        } finally {
            if (!isCommitting) {
                copied.forEach(this::discard);
            }
            to.parts().coming().removeAll(kept);
            kept.clear();
        }
        return results;
    }

    /** Nothing names the place, and nothing is being written there any more. */
    private void discard(Copied block) {
        if (!block.place().isEmpty()) {
            to.parts().allocator().release(block.place());
        }
    }

    private Result copy(BlockId block, List<Copied> copied) throws TatamiException {
        Replica replica = from.replicas().get(block);
        if (replica == null) {
            return Result.GONE;
        }
        BlockRecord before = replica.committed();
        if (before == null || !replica.placed().movable()) {
            return replica.describe().damaged() ? Result.DAMAGED : Result.UNFINISHED;
        }
        if (!to.parts().coming().add(block)) {
            return Result.CHANGED;
        }
        kept.add(block);
        if (isClosed.getAsBoolean()) {
            return Result.NO_ROOM;
        }
        if (to.replicas().containsKey(block)) {
            return Result.PRESENT;
        }
        Copied taken;
        try {
            taken = take(replica, before);
        } catch (TatamiException e) {
            from.parts().failStop().checkReads();
            to.parts().failStop().check();
            if (e.code() == ErrorCode.NO_SPACE) {
                return Result.NO_ROOM;
            }
            if (e.code() == ErrorCode.CORRUPT || e.code() == ErrorCode.IO_ERROR) {
                return Result.DAMAGED;
            }
            if (e.code() == ErrorCode.BUSY || e.code() == ErrorCode.NO_SUCH_BLOCK) {
                return Result.CHANGED;
            }
            throw e;
        }
        if (taken == null) {
            return Result.ENDED;
        }
        copied.add(taken);
        return Result.MOVED;
    }

    /** @return null where the transfer is to end */
    private @Nullable Copied take(Replica replica, BlockRecord before) throws TatamiException {
        long length = before.lengthBytes();
        Replica.View view = from.parts().damage().readTwice(replica, again -> {
            Replica.View seen = replica.view(from.parts().index(), Generation.NONE, 0, length);
            requireUnchanged(replica, before);
            return seen;
        });
        long room = Device.alignUp(length);
        Extent place = Extent.EMPTY;
        if (room > 0) {
            ExtentAllocator.End end = length < SHORT_BYTES ? ExtentAllocator.End.HIGH : ExtentAllocator.End.LOW;
            place = to.parts().allocate(room, room, end);
        }
        Copied block = new Copied(replica, before, place, view.checksums());
        boolean isDone = false;
        try {
            isDone = copyBytes(block, view);
        } finally {
            if (!isDone) {
                discard(block);
            }
        }
        return isDone ? block : null;
    }

    private boolean copyBytes(Copied block, Replica.View view) throws TatamiException {
        long length = block.before().lengthBytes();
        for (long start = 0; start < length; start += Device.UNIT_BYTES) {
            if (!listener.mayGoOn()) {
                return false;
            }
            AlignedBuffer buffer = to.parts().acquireWriteBuffer();
            try {
                copyUnit(block, view, start, Math.min(length, start + Device.UNIT_BYTES), buffer);
            } finally {
                buffer.release();
            }
        }
        return true;
    }

    private void copyUnit(Copied block, Replica.View view, long start, long end, AlignedBuffer buffer)
            throws TatamiException {
        ByteBuffer sectors = buffer.range(0, (int) Device.alignUp(end - start));
        int bytes = sectors.remaining();
        Object unused = from.parts().damage().readTwice(block.replica(), again -> {
            long offset = block.before().extent().offsetBytes() + start;
            from.parts().threads().stream(AccessKind.BACKGROUND)
                    .submit(bytes, () -> from.parts().device().readFully(offset, buffer.range(0, bytes)))
                    .await();
            long damaged = view.firstDamaged(buffer.memory(), start, end);
            // The room may be another block's by now, which is no damage of this one.
            requireUnchanged(block.replica(), block.before());
            if (damaged >= 0) {
                throw from.parts().damage().mismatch(block.replica(), damaged);
            }
            return view;
        });
        long offset = block.place().offsetBytes() + start;
        to.parts().threads().stream(AccessKind.BACKGROUND)
                .submit(bytes, () -> to.parts().device().write(offset, buffer.range(0, bytes)))
                .await();
        listener.copied(bytes);
        CrashPoint.hit("volume.transfer.after-unit");
    }

    private boolean isUnchanged(Replica replica, BlockRecord before) {
        return from.replicas().get(replica.block()) == replica
                && replica.committed() == before
                && replica.placed().movable();
    }

    private void requireUnchanged(Replica replica, BlockRecord before) throws TatamiException {
        if (!isUnchanged(replica, before)) {
            throw new TatamiException(ErrorCode.BUSY, "block " + replica.block() + " was changed while it was moved");
        }
    }

    /** Those that were changed since they were looked at stay. */
    private void commit(List<Copied> copied, Map<BlockId, Result> results) throws TatamiException {
        List<Copied> leaving = new ArrayList<>();
        List<Replica.Change> changes = new ArrayList<>();
        try {
            for (Copied block : copied) {
                Replica.Change change = block.replica().tryChange();
                if (change != null && isUnchanged(block.replica(), block.before())) {
                    changes.add(change);
                    leaving.add(block);
                } else {
                    if (change != null) {
                        change.close();
                    }
                    results.put(block.before().block(), Result.CHANGED);
                    discard(block);
                }
            }
            if (leaving.isEmpty()) {
                return;
            }
            arrive(leaving);
            if (!from.parts().failStop().reason().isEmpty() || isClosed.getAsBoolean()) {
                // Here nothing can be dropped any more. Or the volume there may be about to be removed: its check for
                // blocks may have run before these arrived.
                leaving.forEach(block -> results.put(block.before().block(), Result.PRESENT));
                return;
            }
            listener.arrived();
            from.committer().leave(changes);
            CrashPoint.hit("volume.transfer.after-release");
        } finally {
            changes.forEach(Replica.Change::close);
        }
    }

    private void arrive(List<Copied> blocks) throws TatamiException {
        CrashPoint.hit("volume.transfer.before-arrive");
        to.parts()
                .index()
                .arrive(blocks.stream()
                        .map(block -> new BlockIndex.Arrived(block.after(), block.checksums()))
                        .toList());
        CrashPoint.hit("volume.transfer.after-arrive");
        for (Copied block : blocks) {
            Replica there = to.replicas().putIfAbsent(block.before().block(), Replica.found(block.after(), true));
            Check.check(there == null, "%s came to where it is", block.before().block());
        }
    }
}
