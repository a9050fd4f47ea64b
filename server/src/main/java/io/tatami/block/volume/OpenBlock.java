package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessKind;
import io.tatami.block.device.AccessStream;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.BufferShare;
import io.tatami.block.device.Device;
import io.tatami.block.device.PendingAccess;
import io.tatami.block.volume.index.BlockRecord;
import io.tatami.block.volume.index.FlushedEnd;
import io.tatami.block.volume.index.FlushedEnds;
import io.tatami.block.volume.space.Extent;
import io.tatami.files.CrashPoint;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The open end of a block: its bytes that are not on the device yet, and the checksums of all its chunks.
 *
 * <pre>
 *  0                  onDevice                       fillStart            length        extent
 * +------------------+------------------------------+--------------------+-------------+
 * | on the device    | being written: 0 to 3 units  | filling, or tail   |    free     |
 * +------------------+------------------------------+--------------------+-------------+
 * </pre>
 *
 * <p>A unit ends at a multiple of 4 MiB of the block. Before the block is finalized, only whole sectors of 4 KiB go to
 * the device. The rest is the tail, which the index holds once it is durable. So no sector with acknowledged bytes is
 * written again while the device has its only copy.
 *
 * <p>The thread that has the replica's {@link Replica.Change} changes it. Readers look at it at any time, under this
 * object's monitor, which is never held during I/O. Device threads only report that a unit was written.
 */
final class OpenBlock {
    private static final int UNITS_IN_FLIGHT_MAX = 3;
    private static final int UNIT_CHUNKS = Device.UNIT_BYTES / ChunkChecksum.CHUNK_BYTES;

    private final VolumeParts parts;
    private final BlockId block;
    private AccessStream accesses;
    private final BufferShare buffers;
    private final Deque<UnitWrite> inFlight = new ArrayDeque<>(UNITS_IN_FLIGHT_MAX);
    private final byte[] tail = new byte[Device.ALIGNMENT_BYTES];
    private Extent extent;
    private final GrowingChecksums checksums;
    private long lengthBytes;
    private long onDeviceBytes;
    private long fillStartBytes;
    private @Nullable AlignedBuffer filling;
    private @Nullable TatamiException failure;
    private boolean unflushed;

    /** Where the end of the block is kept, from the first time on; for the writing side. */
    private FlushedEnds.@Nullable Slot slot;

    /** Up to where the end of the block was kept since it was opened, see {@link FlushedEnds}. */
    private long aheadBytes;

    private OpenBlock(VolumeParts parts, BlockId block, Extent extent, int[] checksums) {
        this.parts = parts;
        this.block = block;
        this.accesses = parts.threads().stream(AccessKind.WRITE);
        this.buffers = parts.resources().writeBuffers().share();
        this.extent = extent;
        this.checksums = new GrowingChecksums(checksums);
    }

    /** A unit on its way to the device; done and pending are the writing side's and the device's word on it. */
    private static final class UnitWrite {
        private final AlignedBuffer buffer;
        private final long startBytes;
        private final long endBytes;
        private boolean done;

        UnitWrite(AlignedBuffer buffer, long startBytes, long endBytes) {
            this.buffer = buffer;
            this.startBytes = startBytes;
            this.endBytes = endBytes;
        }
    }

    /** A block without bytes. */
    static OpenBlock begin(VolumeParts parts, BlockId block, Extent extent) {
        return new OpenBlock(parts, block, extent, new int[UNIT_CHUNKS]);
    }

    /** The block as its record says; {@code checksums} are those of all its chunks and become the new object's own. */
    static OpenBlock resume(VolumeParts parts, BlockRecord entry, int[] checksums) {
        OpenBlock open = new OpenBlock(parts, entry.block(), entry.extent(), checksums);
        open.lengthBytes = entry.lengthBytes();
        open.onDeviceBytes = entry.isFinalized() ? entry.lengthBytes() : entry.lengthBytes() - entry.tail().length;
        open.fillStartBytes = open.onDeviceBytes;
        System.arraycopy(entry.tail(), 0, open.tail, 0, entry.tail().length);
        return open;
    }

    /** From now on all other users of the device come first; before anything is written, by the writing side. */
    void inBackground() {
        Check.check(onDeviceBytes == 0 && inFlight.isEmpty(), "%s is on its way to the device", block);
        accesses = parts.threads().stream(AccessKind.BACKGROUND);
    }

    synchronized Extent extent() {
        return extent;
    }

    /** Grown at its end, or moved while nothing is in flight. */
    synchronized void setExtent(Extent changed) {
        Check.check(
                changed.lengthBytes() >= lengthBytes
                        && (changed.offsetBytes() == extent.offsetBytes() || inFlight.isEmpty()),
                "block %s of %d bytes cannot come from %s to %s",
                block,
                lengthBytes,
                extent,
                changed);
        extent = changed;
    }

    synchronized long lengthBytes() {
        return lengthBytes;
    }

    /** The bytes behind the last whole sector; only when drained. */
    synchronized byte[] tail() {
        Check.check(filling == null && inFlight.isEmpty(), "the tail of a block that is being written");
        int length = (int) (lengthBytes - fillStartBytes);
        return length == 0 ? BlockRecord.NO_TAIL : Arrays.copyOf(tail, length);
    }

    /** Whether bytes may be ahead of what the index says, which is {@code entry}; for the writing side. */
    boolean mayRunAhead(BlockRecord entry, Generation generation) {
        return !entry.isFinalized()
                && entry.generation().equals(generation)
                && entry.extent().equals(extent)
                && lengthBytes >= entry.lengthBytes()
                && lengthBytes - entry.lengthBytes() <= FlushedEnds.AHEAD_BYTES_MAX;
    }

    /**
     * Keeps the bytes behind those of {@code entry}, as they are now; for the writing side, when drained.
     *
     * @return whether they are kept
     */
    boolean keepEndBehind(BlockRecord entry) {
        if (slot == null) {
            slot = parts.flushedEnds().slot();
        }
        int[] changed = checksums.copy(FlushedEnd.firstChunk(entry.lengthBytes()), chunks());
        if (slot == null || !slot.keep(new FlushedEnd(FlushedEnd.Base.of(entry), lengthBytes, changed, tail()))) {
            return false;
        }
        aheadBytes = lengthBytes;
        return true;
    }

    /**
     * Gives up what is kept of the block's end, once the index needs nothing of it; for the writing side.
     *
     * @return whether nothing is kept any more
     */
    boolean forgetEnd() {
        FlushedEnds.Slot kept = slot;
        if (kept != null && kept.free()) {
            slot = null;
        }
        return slot == null;
    }

    /** Whether bytes were kept that {@code entry} does not have; for the writing side. */
    boolean isAheadOf(BlockRecord entry) {
        return aheadBytes > entry.lengthBytes();
    }

    /** The array of checksums, for the writing side: chunks beyond the length have none. */
    int[] checksums() {
        return checksums.all();
    }

    int chunks() {
        return ChunkChecksum.pieces(0, lengthBytes);
    }

    /** A copy of the checksums of chunks from {@code first} to before {@code end}, as they are now. */
    synchronized int[] checksums(int first, int end) {
        return checksums.copy(first, end);
    }

    /** How many of the next {@code bytes} lie in the unit where the block ends now. */
    int unitPartBytes(int bytes) {
        return (int) Math.min(bytes, unitEnd(lengthBytes) - lengthBytes);
    }

    /**
     * Takes bytes that lie within a unit and within the extent: all of them, or none where this throws.
     *
     * @param data the bytes are its first {@code length}
     * @param expected the checksums of their pieces; null for unknown
     * @throws TatamiException BUSY, with nothing of the data taken; CORRUPT; the failure of {@code data}; or the error
     *     of an earlier write
     */
    void append(ByteSource data, int length, int @Nullable [] expected) throws TatamiException {
        Check.check(
                length > 0 && length <= unitPartBytes(length) && lengthBytes + length <= extent.lengthBytes(),
                "appended bytes lie within one unit and the block's extent");
        ByteBuffer memory = fillable().memory();
        int[] taken = GrowingChecksums.take(data, lengthBytes, length, memory, (int) (lengthBytes - fillStartBytes));
        if (expected != null && !Arrays.equals(expected, taken)) {
            throw new TatamiException(
                    ErrorCode.CORRUPT,
                    "data for block " + block + " at " + lengthBytes + " does not match its checksums");
        }
        synchronized (this) {
            checksums.add(lengthBytes, taken, length);
            lengthBytes += length;
        }
        if (lengthBytes == unitEnd(fillStartBytes)) {
            submit(lengthBytes, false);
        }
    }

    /**
     * Gets all whole sectors onto the device (not flushed), and the rest into the tail; no buffer is held afterwards.
     *
     * @param padTail the rest goes to the device too, padded with zeros, as the block's end
     */
    void drain(boolean padTail) throws TatamiException {
        int rest = (int) (lengthBytes % Device.ALIGNMENT_BYTES);
        if (padTail && rest > 0) {
            AlignedBuffer buffer = fillable();
            int end = (int) (lengthBytes - fillStartBytes);
            buffer.memory().put(end, new byte[Device.ALIGNMENT_BYTES - rest]);
            keepRest(buffer, rest);
            submit(Device.alignUp(lengthBytes), true);
        } else if (filling != null) {
            moveRestToTail(filling, rest);
        }
        awaitWrites(0);
    }

    /**
     * Writes again what found no room on the device, as on a volume file that was not allocated in full; the bytes are
     * still here. {@link #drain} tells what came of it. Does nothing after any other failure, and without one.
     */
    void retryWithoutRoom() {
        synchronized (this) {
            if (failure == null || failure.code() != ErrorCode.NO_SPACE) {
                return;
            }
        }
        awaitUntil(() -> inFlight.stream().allMatch(unit -> unit.done));
        List<UnitWrite> again;
        synchronized (this) {
            failure = null;
            unflushed = true;
            again = List.copyOf(inFlight);
            again.forEach(unit -> unit.done = false);
        }
        for (UnitWrite unit : again) {
            PendingAccess unused = accesses.submit((int) (unit.endBytes - unit.startBytes), () -> write(unit));
        }
    }

    /** {@link #drain} for a block that nobody writes now: an error is kept, and thrown to whoever goes on with it. */
    void drainQuietly() {
        try {
            drain(false);
        } catch (TatamiException e) {
            synchronized (this) {
                failure = e;
            }
        }
    }

    /** Makes what is on the device durable; no access where it is already. */
    void flush() throws TatamiException {
        if (unflushed) {
            parts.flush().flush();
            unflushed = false;
        }
    }

    /**
     * Gives up the bytes from {@code keptBytes} on; only when drained.
     *
     * @param keptTail the bytes of the last sector kept, behind its last whole sector
     * @param lastChecksum the checksum of the last chunk kept, if it is not whole
     */
    synchronized void cut(long keptBytes, byte[] keptTail, int lastChecksum) {
        Check.check(filling == null && inFlight.isEmpty(), "block %s is cut while it is written", block);
        Check.check(
                keptBytes <= lengthBytes && keptTail.length == keptBytes - Device.alignDown(keptBytes),
                "block %s of %d bytes cannot be cut to %d with a tail of %d",
                block,
                lengthBytes,
                keptBytes,
                keptTail.length);
        lengthBytes = keptBytes;
        aheadBytes = Math.min(aheadBytes, keptBytes);
        onDeviceBytes = Device.alignDown(keptBytes);
        fillStartBytes = onDeviceBytes;
        System.arraycopy(keptTail, 0, tail, 0, keptTail.length);
        if (keptBytes % ChunkChecksum.CHUNK_BYTES != 0) {
            checksums.replace((int) (keptBytes / ChunkChecksum.CHUNK_BYTES), lastChecksum);
        }
    }

    /** Up to where the bytes can be read from the device; those between there and the length are here. */
    synchronized long onDeviceBytes() {
        return onDeviceBytes;
    }

    /**
     * Copies those of the bytes from {@code start} to {@code end} of the block that are not on the device.
     *
     * @param into byte 0 is byte {@code start} of the block
     * @return up to where the others must be read from the device; at least {@code start}, at most {@code end}
     */
    synchronized long copyUnwritten(long start, long end, ByteBuffer into) {
        for (UnitWrite unit : inFlight) {
            copyOverlap(unit.buffer.memory(), unit.startBytes, unit.endBytes, start, end, into);
        }
        AlignedBuffer buffer = filling;
        ByteBuffer rest = buffer == null ? ByteBuffer.wrap(tail) : buffer.memory();
        copyOverlap(rest, fillStartBytes, lengthBytes, start, end, into);
        return Math.max(start, Math.min(end, onDeviceBytes));
    }

    /**
     * Waits for the writes under way, whatever comes of them, and gives all buffers back. What was only in memory is
     * gone then: the replica's version must have risen before, so that no reader takes what is left for the block.
     */
    void discard() {
        awaitUntil(() -> inFlight.stream().allMatch(unit -> unit.done));
        synchronized (this) {
            inFlight.forEach(unit -> unit.buffer.release());
            inFlight.clear();
            if (filling != null) {
                filling.release();
                filling = null;
            }
        }
        CrashPoint.hit("volume.discard.released");
    }

    private AlignedBuffer fillable() throws TatamiException {
        throwFailure();
        AlignedBuffer buffer = filling;
        if (buffer == null) {
            buffer = parts.acquire(buffers, parts.resources().settings().bufferWaitMillis(), "write");
            synchronized (this) {
                buffer.memory().put(0, tail, 0, (int) (lengthBytes - fillStartBytes));
                filling = buffer;
            }
        }
        return buffer;
    }

    /** Readers take the last sector's bytes from the tail once the buffer is no longer the one being filled. */
    private void keepRest(AlignedBuffer buffer, int rest) {
        buffer.memory().get((int) (lengthBytes - rest - fillStartBytes), tail, 0, rest);
    }

    private void moveRestToTail(AlignedBuffer buffer, int rest) throws TatamiException {
        long end = lengthBytes - rest;
        keepRest(buffer, rest);
        if (end > fillStartBytes) {
            submit(end, true);
        } else {
            synchronized (this) {
                filling = null;
            }
            buffer.release();
        }
    }

    /**
     * Hands the filling buffer to the device threads, up to {@code end}; waits while its share of buffers is under way.
     *
     * @param isAwaited whether the caller waits for the device next
     */
    private void submit(long end, boolean isAwaited) throws TatamiException {
        CrashPoint.hit("volume.unit.before-write");
        awaitWrites(Math.max(1, Math.min(UNITS_IN_FLIGHT_MAX, buffers.size() - 1)) - 1);
        UnitWrite unit;
        synchronized (this) {
            AlignedBuffer buffer = filling;
            if (buffer == null) {
                throw new IllegalStateException("nothing to write of block " + block);
            }
            Check.check(
                    Device.alignDown(fillStartBytes) == fillStartBytes
                            && Device.alignDown(end) == end
                            && end <= unitEnd(fillStartBytes),
                    "only whole sectors of one unit go to the device");
            unit = new UnitWrite(buffer, fillStartBytes, end);
            inFlight.add(unit);
            filling = null;
            fillStartBytes = Math.min(end, Device.alignDown(lengthBytes));
            unflushed = true;
        }
        int bytes = (int) (unit.endBytes - unit.startBytes);
        if (isAwaited) {
            accesses.run(bytes, () -> write(unit));
        } else {
            PendingAccess unused = accesses.submit(bytes, () -> write(unit));
        }
        CrashPoint.hit("volume.unit.begun");
    }

    /** On a thread that touches the device. */
    private void write(UnitWrite unit) {
        try {
            int length = (int) (unit.endBytes - unit.startBytes);
            parts.device().write(extent().offsetBytes() + unit.startBytes, unit.buffer.range(0, length));
            written(unit, null);
        } catch (TatamiException e) {
            written(unit, e);
        } catch (RuntimeException | Error e) {
            written(unit, new TatamiException(ErrorCode.INTERNAL, "block " + block + " was not written", e));
            throw e;
        }
    }

    private synchronized void written(UnitWrite unit, @Nullable TatamiException thrown) {
        unit.done = true;
        if (thrown != null && failure == null) {
            failure = thrown;
        }
        UnitWrite first = inFlight.peek();
        while (failure == null && first != null && first.done) {
            Check.check(first.startBytes <= onDeviceBytes, "a hole before a unit that is on the device");
            onDeviceBytes = first.endBytes;
            first.buffer.release();
            inFlight.remove();
            first = inFlight.peek();
        }
        notifyAll();
    }

    private void awaitWrites(int leftMax) throws TatamiException {
        awaitUntil(() -> failure != null || inFlight.size() <= leftMax);
        throwFailure();
    }

    private synchronized void throwFailure() throws TatamiException {
        if (failure != null) {
            throw failure;
        }
    }

    /**
     * Waits for the device threads until the condition, asked under the monitor, holds; an interrupt is kept for later.
     */
    private void awaitUntil(BooleanSupplier condition) {
        boolean interrupted = false;
        synchronized (this) {
            while (!condition.getAsBoolean()) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void copyOverlap(
            ByteBuffer source, long sourceStart, long sourceEnd, long start, long end, ByteBuffer into) {
        long from = Math.max(sourceStart, start);
        long to = Math.min(sourceEnd, end);
        if (from < to) {
            into.put((int) (from - start), source, (int) (from - sourceStart), (int) (to - from));
        }
    }

    private static long unitEnd(long offsetBytes) {
        return offsetBytes / Device.UNIT_BYTES * Device.UNIT_BYTES + Device.UNIT_BYTES;
    }
}
