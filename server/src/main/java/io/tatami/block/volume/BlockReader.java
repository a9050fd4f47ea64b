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
 * One pass over a range of a block, in order, reading ahead of its user. Used by one thread at a time. The bytes are
 * those that were visible when the reader was opened; when the block is deleted, cut or moved meanwhile,
 * {@link #next()} says so and never returns bytes of something else.
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

    /** Where the block was when this reader last looked. */
    private Replica.Location location;

    /** Why there is nothing behind what was returned last. */
    private @Nullable TatamiException damage;

    public BlockReader(
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

        /** As if no more than the bytes before {@code chunk}, where one begins, had been asked for. */
        public Fetch upTo(long chunk) {
            return new Fetch(start, chunk, chunkStart, chunk, buffer, late, location, copy, pending);
        }
    }

    /**
     * The next bytes, or null at the end of the range. Blocks while they are read. Units end at multiples of 4 MiB of
     * the block, so that all but the first and the last have that size, and the one before a damaged chunk, which ends
     * there: what is sound can be read. The caller owns the unit and closes it.
     *
     * @throws TatamiException CORRUPT where the next chunk fails its checksum (detail: where in the block it begins);
     *     NO_SUCH_BLOCK where the block was deleted; BUSY where it was cut or moved, or where no buffer became free in
     *     time; IO_ERROR. The reader is of no more use then.
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
     * Whether {@link #next()} will not wait for a buffer of the volume's: those who have some may need this very thread
     * to give them back. For memory of its own a reader waits there.
     *
     * @param wake called once when it is time to ask again, where the answer is no; it must not wait
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

    /** Waits for a copy that is being made, and begins to read it; where it does not come, the volume is to be read. */
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
     * Where the copies' device does not answer, what it may yet write into is left to it: this reader begins anew, and
     * has done with copies.
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

    /** Null where there is no copy, or none that is right: that is a matter of the copies and of nobody else. */
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
     * Returns when the bytes have come from where the block was all the while, and are sound.
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

    /** False where the block was moved while it was read: what is at the place it left says nothing. */
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

    /** Stops reading ahead and gives back the buffers of what was not fetched; units already fetched stay valid. */
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

    /** Waits for a buffer only while there is none under way: readers never hold some while they wait for more. */
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
     * Where in the block the first chunk begins that fails its checksum; -1 where none does, or it is not for us to
     * say.
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

    /** Whole chunks keep the checksum they are stored with; only cut ones are computed anew. */
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
