package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessKind;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.Device;
import io.tatami.block.volume.index.BlockIndex;
import io.tatami.block.volume.index.BlockRecord;
import io.tatami.block.volume.space.CompactionPlanner;
import io.tatami.block.volume.space.Extent;
import io.tatami.block.volume.space.PlacedBlock;
import io.tatami.files.CrashPoint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Gives finalized blocks another place, some of them at once: their bytes are read, checked, written to the new place
 * and flushed; one synced batch names the new places; and only then is the old room free. Readers are not disturbed:
 * who was reading at the old place finds that the block has moved, and reads it again at the new one.
 *
 * <p>Never waits for who changes a block: such a block stays where it is, as do those that are not where the caller
 * says, and those whose new place is not free. Who changes a block waits for the few blocks moved with it.
 */
public final class BlockRelocator {
    /** One buffer, so that a move holds little memory and little room, and is over soon. */
    public static final int BYTES_MAX = Device.UNIT_BYTES;

    private final VolumeParts parts;
    private final ConcurrentMap<BlockId, Replica> replicas;
    private final LongAdder movedBytes = new LongAdder();

    BlockRelocator(VolumeParts parts, ConcurrentMap<BlockId, Replica> replicas) {
        this.parts = parts;
        this.replicas = replicas;
    }

    /** A block with the right to change it, whose new place was taken, and where in the buffer its bytes are. */
    private record Ready(Replica.Change change, BlockRecord before, Extent to, int start) {
        int endInBuffer() {
            return (int) (start + to.lengthBytes());
        }

        public BlockRecord after() {
            return before.withExtent(to);
        }
    }

    /** What was moved since the volume was opened. */
    public long movedBytes() {
        return movedBytes.sum();
    }

    /** Whether a writer waits for the end of a move, to try again for room. */
    public boolean isAwaited() {
        return parts.moving().hasQueuedThreads();
    }

    /**
     * Moves blocks, all of which together have {@link #BYTES_MAX} at most.
     *
     * @return how many were moved; none where writers need all buffers
     * @throws TatamiException IO_ERROR where writing failed, and the volume has stopped; NO_SPACE where the file system
     *     under a volume file is full. Damage is not thrown: the {@link VolumeResources.DamageListener} hears of it.
     */
    public int move(List<CompactionPlanner.Move> moves) throws TatamiException {
        AlignedBuffer buffer = parts.resources().writeBuffers().tryAcquire();
        if (buffer == null) {
            return 0;
        }
        List<Ready> ready = new ArrayList<>();
        parts.moving().lock();
        try {
            prepare(moves, ready);
            CrashPoint.hit("volume.compact.after-claim");
            return carryOut(ready, buffer);
        } finally {
            ready.forEach(block -> block.change().close());
            parts.moving().unlock();
            buffer.release();
        }
    }

    /** Locks what can be moved and takes its new places. */
    private void prepare(List<CompactionPlanner.Move> moves, List<Ready> ready) {
        int start = 0;
        for (CompactionPlanner.Move move : moves) {
            Replica replica = replicas.get(move.block());
            Replica.Change change = replica == null ? null : replica.tryChange();
            if (replica == null || change == null) {
                continue;
            }
            BlockRecord before = replica.committed();
            if (before != null
                    && isAt(replica, move.from())
                    && parts.allocator().claim(move.to())) {
                ready.add(new Ready(change, before, move.to(), start));
                start += (int) move.to().lengthBytes();
            } else {
                change.close();
            }
        }
    }

    private static boolean isAt(Replica replica, Extent from) {
        PlacedBlock placed = replica.placed();
        return placed.movable() && placed.extent().equals(from);
    }

    private int carryOut(List<Ready> ready, AlignedBuffer buffer) throws TatamiException {
        List<Ready> leaving = new ArrayList<>(ready);
        try {
            for (Ready block : ready) {
                if (!isSound(block, buffer)) {
                    leaving.remove(block);
                    parts.allocator().release(block.to());
                }
            }
            copy(leaving, buffer);
        } catch (TatamiException | RuntimeException e) {
            // Nothing names the new places, and nothing is being written there any more.
            leaving.forEach(block -> parts.allocator().release(block.to()));
            throw e;
        }
        commit(leaving);
        return leaving.size();
    }

    /** Reads a block and checks it: damage is not carried along, and what cannot be read stays where it is. */
    private boolean isSound(Ready block, AlignedBuffer buffer) throws TatamiException {
        Replica replica = block.change().replica();
        BlockRecord before = block.before();
        try {
            return parts.damage().readTwice(replica, again -> {
                Replica.View view = replica.view(parts.index(), Generation.NONE, 0, before.lengthBytes());
                ByteBuffer into = buffer.range(block.start(), block.endInBuffer());
                parts.threads().stream(AccessKind.BACKGROUND)
                        .submit(
                                into.remaining(),
                                () -> parts.device().readFully(before.extent().offsetBytes(), into))
                        .await();
                ByteBuffer bytes =
                        buffer.range(block.start(), block.endInBuffer()).slice();
                long damaged = view.firstDamaged(bytes, 0, before.lengthBytes());
                if (damaged >= 0) {
                    throw parts.damage().mismatch(replica, damaged);
                }
                return true;
            });
        } catch (TatamiException e) {
            parts.failStop().check();
            if (e.code() != ErrorCode.CORRUPT && e.code() != ErrorCode.IO_ERROR) {
                throw e;
            }
            return false;
        }
    }

    private void copy(List<Ready> blocks, AlignedBuffer buffer) throws TatamiException {
        if (blocks.isEmpty()) {
            return;
        }
        for (Ready block : blocks) {
            ByteBuffer from = buffer.range(block.start(), block.endInBuffer());
            parts.threads().stream(AccessKind.BACKGROUND)
                    .submit(
                            from.remaining(),
                            () -> parts.device().write(block.to().offsetBytes(), from))
                    .await();
        }
        CrashPoint.hit("volume.compact.after-write");
        parts.flush().flush();
        CrashPoint.hit("volume.compact.after-flush");
    }

    private void commit(List<Ready> blocks) throws TatamiException {
        if (blocks.isEmpty()) {
            return;
        }
        parts.index()
                .move(blocks.stream()
                        .map(block -> new BlockIndex.Moved(block.before(), block.after()))
                        .toList());
        CrashPoint.hit("volume.compact.after-commit");
        for (Ready block : blocks) {
            block.change().relocate(block.after());
            parts.allocator().release(block.before().extent());
            movedBytes.add(block.to().lengthBytes());
        }
        CrashPoint.hit("volume.compact.after-release");
    }
}
