package io.tatami.block.volume;

import io.tatami.base.ChunkChecksum;
import io.tatami.base.Detail;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessKind;
import io.tatami.block.device.AccessStream;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.BufferShare;
import io.tatami.block.device.Device;
import io.tatami.block.device.PendingAccess;
import io.tatami.block.volume.space.Extent;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Reads a range of a block in order, ahead of its user. Used by one thread at a time. It returns the bytes that were
 * visible when it was opened. If the block is deleted, cut or moved meanwhile, {@link #next()} reports it and never
 * returns other bytes.
 */
public final class BlockReader implements AutoCloseable {
    private final VolumeParts parts;
    private final AccessStream accesses;
    private final BufferShare buffers;
    private final Replica replica;
    private final Replica.View view;
    private final UnitMemory memory;
    private UnitCopies copies;
    private final long endBytes;
    private final Deque<Fetch> ahead = new ArrayDeque<>();
    private long askedBytes;

    /** The place of the block when this reader last looked. */
    private Replica.Location location;

    /** The failure behind the bytes that were returned last; null if there is none. */
    private @Nullable TatamiException damage;

    BlockReader(
            VolumeParts parts,
            AccessKind kind,
            Replica replica,
            Replica.View view,
            UnitCopies copies,
            UnitMemory memory,
            long offsetBytes,
            long endBytes) {
        this.parts = parts;
        this.accesses = parts.threads().stream(kind);
        this.buffers = memory.share();
        this.replica = replica;
        this.view = view;
        this.copies = copies;
        this.memory = memory;
        this.askedBytes = offsetBytes;
        this.location = view.location();
        this.endBytes = endBytes;
    }

    /**
     * The bytes from start to end, whose chunks are read whole from {@code chunkStart} to {@code chunkEnd}.
     *
     * @param location where the volume had them when they were asked for
     * @param copy where they are read from, unless that is null: then from the volume
     * @param pending null while the copy is still being made
     */
    private record Fetch(
            long start,
            long end,
            long chunkStart,
            long chunkEnd,
            AlignedBuffer buffer,
            boolean late,
            Replica.Location location,
            UnitCopies.@Nullable Copy copy,
            @Nullable PendingAccess pending) {

        public Fetch from(UnitCopies.@Nullable Copy other, @Nullable PendingAccess begun) {
            return new Fetch(start, end, chunkStart, chunkEnd, buffer, late, location, other, begun);
        }

        /** This fetch, cut to the bytes before the start of a chunk. */
        public Fetch upTo(long chunk) {
            return new Fetch(start, chunk, chunkStart, chunk, buffer, late, location, copy, pending);
        }
    }

    /**
     * The next unit, or null at the end of the range. Blocks while it is read. Units end at multiples of 4 MiB of the
     * block, so all except the first and the last are 4 MiB long. The unit before a damaged chunk ends at that chunk,
     * so sound bytes can be read. The caller owns the unit and closes it.
     *
     * @throws TatamiException CORRUPT if the next chunk fails its checksum (detail: its offset in the block);
     *     NO_SUCH_BLOCK if the block was deleted; BUSY if it was cut or moved, or no buffer became free in time;
     *     IO_ERROR. The reader must not be used afterwards
     */
    public @Nullable ReadUnit next() throws TatamiException {
        if (damage != null) {
            throw damage;
        }
        readAhead();
        Fetch polled = ahead.poll();
        if (polled == null) {
            return null;
        }
        Fetch fetch = withCopyAskedFor(polled);
        if (startAgainIfTooLate(fetch)) {
            return next();
        }
        try {
            ReadUnit unit = fromCopy(fetch);
            return unit == null ? fromVolume(fetch) : unit;
        } catch (TatamiException | RuntimeException e) {
            fetch.buffer().release();
            throw e;
        }
    }

    /**
     * Whether {@link #next()} gets a buffer of the volume without waiting. Holders of buffers may need this very thread
     * to give them back. For memory of its own, a reader waits in {@code next}.
     *
     * @param wake called once when it is time to ask again, if the answer is no; must not wait
     */
    public boolean hasBuffer(Runnable wake) {
        boolean sharesMemory = memory.buffers() == parts.resources().readBuffers();
        if (!sharesMemory || !ahead.isEmpty() || askedBytes >= endBytes) {
            return true;
        }
        AlignedBuffer buffer = buffers.acquireOr(wake);
        if (buffer != null) {
            ahead.add(fetch(buffer));
        }
        return buffer != null;
    }

    /** Waits for a copy that is being staged and begins to read it. If it does not come, the volume is read. */
    private static Fetch withCopyAskedFor(Fetch fetch) {
        UnitCopies.Copy copy = fetch.copy();
        if (copy == null || fetch.pending() != null) {
            return fetch;
        }
        if (copy.awaitReady()) {
            return fetch.from(copy, copy.fetch(fetch.chunkStart(), fetch.chunkEnd(), fetch.buffer()));
        }
        copy.done();
        return fetch.from(null, null);
    }

    /**
     * If the tier's device does not answer, abandons the buffer that it may still write into, and begins anew without
     * copies.
     */
    private boolean startAgainIfTooLate(Fetch fetch) {
        UnitCopies.Copy copy = fetch.copy();
        PendingAccess pending = fetch.pending();
        if (copy == null || pending == null || pending.awaitEnd(copy.waitMillisMax())) {
            return false;
        }
        copy.tooLate();
        pending.abandon(fetch.buffer()::release);
        giveBackAhead();
        copies = UnitCopies.NONE;
        askedBytes = fetch.start();
        return true;
    }

    /**
     * The unit from a staged copy; null if there is none or it is wrong. A wrong copy says nothing about the volume.
     */
    private @Nullable ReadUnit fromCopy(Fetch fetch) throws TatamiException {
        UnitCopies.Copy copy = fetch.copy();
        PendingAccess pending = fetch.pending();
        if (copy == null || pending == null) {
            return null;
        }
        try {
            pending.await();
        } catch (TatamiException e) {
            copy.failed(e);
            return null;
        }
        if (firstDamaged(fetch) >= 0) {
            copy.bad();
            return null;
        }
        copy.done();
        replica.checkVersion(view.version());
        return unit(fetch, fetch.late() ? ReadUnit.Origin.LATE : ReadUnit.Origin.STAGED);
    }

    private ReadUnit fromVolume(Fetch fetch) throws TatamiException {
        PendingAccess begun = fetch.copy() == null ? fetch.pending() : null;
        Fetch sound = fetch;
        try {
            sound = parts.damage().readTwice(replica, again -> readFromVolume(fetch, again ? null : begun));
        } catch (TatamiException e) {
            if (!(e.detail() instanceof Detail.DamagedChunk damaged)) {
                throw e;
            }
            damage = e;
            if (damaged.offsetBytes() <= fetch.start()) {
                throw e;
            }
            sound = fetch.upTo(damaged.offsetBytes());
        }
        return unit(sound, fetch.late() ? ReadUnit.Origin.LATE : ReadUnit.Origin.VOLUME);
    }

    /**
     * Reads from the volume. Returns when the bytes are sound and the block has not moved meanwhile.
     *
     * @param begun a read of them that is under way; null for none
     */
    private Fetch readFromVolume(Fetch fetch, @Nullable PendingAccess begun) throws TatamiException {
        PendingAccess pending = begun;
        Replica.Location seen = fetch.location();
        while (pending == null || !hasArrived(pending, seen)) {
            location = replica.location(view.version());
            seen = location;
            pending = submit(fetch.chunkStart(), fetch.chunkEnd(), fetch.buffer());
        }
        long damaged = firstDamaged(fetch);
        if (damaged >= 0) {
            throw parts.damage().mismatch(replica, damaged);
        }
        return fetch;
    }

    /** Waits for a read; returns false if the block was moved meanwhile, so that the bytes say nothing. */
    private boolean hasArrived(PendingAccess pending, Replica.Location seen) throws TatamiException {
        TatamiException failure = null;
        try {
            pending.await();
        } catch (TatamiException e) {
            failure = e;
        }
        replica.checkVersion(view.version());
        if (!replica.isStillAt(seen)) {
            return false;
        }
        if (failure != null) {
            throw failure;
        }
        return true;
    }

    /** Stops reading ahead and gives back the buffers of unfetched units. Units already returned remain valid. */
    @Override
    public void close() {
        askedBytes = endBytes;
        giveBackAhead();
    }

    private void giveBackAhead() {
        accesses.drop();
        for (Fetch fetch : ahead) {
            PendingAccess pending = fetch.pending();
            if (fetch.copy() != null) {
                fetch.copy().done();
            } else if (pending != null) {
                pending.awaitEnd();
            }
            if (pending == null) {
                fetch.buffer().release();
            } else {
                pending.abandon(fetch.buffer()::release);
            }
        }
        ahead.clear();
    }

    /**
     * Reads ahead. Waits for a buffer only if none is under way, so a reader never holds buffers while it waits for
     * more.
     */
    private void readAhead() throws TatamiException {
        while (askedBytes < endBytes
                && ahead.size() < parts.resources().settings().readAheadUnits()) {
            AlignedBuffer buffer =
                    ahead.isEmpty() ? parts.acquire(buffers, memory.waitMillis(), "read") : buffers.tryAcquire();
            if (buffer == null) {
                return;
            }
            ahead.add(fetch(buffer));
        }
    }

    private Fetch fetch(AlignedBuffer buffer) {
        long start = askedBytes;
        long unitEnd = start / Device.UNIT_BYTES * Device.UNIT_BYTES + Device.UNIT_BYTES;
        long end = Math.min(endBytes, unitEnd);
        long chunkStart = start / ChunkChecksum.CHUNK_BYTES * ChunkChecksum.CHUNK_BYTES;
        long chunkEnd = view.checkedEnd(end);
        int number = (int) (start / Device.UNIT_BYTES);
        boolean readsToItsEnd = end == unitEnd || end == view.lengthBytes();
        UnitCopies.Answer answer = copies.ask(replica.block(), number, chunkEnd, readsToItsEnd);
        UnitCopies.Copy copy = answer.copy();
        PendingAccess pending = null;
        if (copy == null) {
            pending = submit(chunkStart, chunkEnd, buffer);
        } else if (!answer.late()) {
            pending = copy.fetch(chunkStart, chunkEnd, buffer);
        }
        askedBytes = end;
        return new Fetch(start, end, chunkStart, chunkEnd, buffer, answer.late(), location, copy, pending);
    }

    private PendingAccess submit(long chunkStart, long chunkEnd, AlignedBuffer buffer) {
        Extent extent = location.extent();
        return accesses.submit(
                (int) (chunkEnd - chunkStart),
                () -> replica.fetch(parts.device(), extent, chunkStart, chunkEnd, buffer));
    }

    /**
     * The offset in the block of the first chunk that fails its checksum; -1 if none does, or the receiver verifies.
     */
    private long firstDamaged(Fetch fetch) {
        if (memory.receiverVerifies() && fetch.start() == fetch.chunkStart() && fetch.end() == fetch.chunkEnd()) {
            return -1;
        }
        return view.firstDamaged(fetch.buffer().memory(), fetch.chunkStart(), fetch.chunkEnd());
    }

    private ReadUnit unit(Fetch fetch, ReadUnit.Origin origin) {
        AlignedBuffer buffer = fetch.buffer();
        ByteBuffer data =
                buffer.range((int) (fetch.start() - fetch.chunkStart()), (int) (fetch.end() - fetch.chunkStart()));
        return new ReadUnit(fetch.start(), data, pieceChecksums(fetch, data), buffer, origin);
    }

    /** The checksums of the pieces: stored ones for whole chunks, computed ones for cut chunks. */
    private int[] pieceChecksums(Fetch fetch, ByteBuffer data) {
        int[] checksums = new int[ChunkChecksum.pieces(fetch.start(), data.remaining())];
        long at = fetch.start();
        for (int i = 0; i < checksums.length; i++) {
            int length = ChunkChecksum.firstPieceBytes(at, fetch.end() - at);
            boolean whole = at % ChunkChecksum.CHUNK_BYTES == 0
                    && (length == ChunkChecksum.CHUNK_BYTES || at + length == view.lengthBytes());
            checksums[i] = whole
                    ? view.checksumAt(at)
                    : ChunkChecksum.of(data, (int) (data.position() + at - fetch.start()), length);
            at += length;
        }
        return checksums;
    }
}
