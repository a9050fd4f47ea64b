package io.tatami.block.volume;

import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessKind;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.Device;
import io.tatami.block.volume.space.Extent;
import io.tatami.files.CrashPoint;
import java.nio.ByteBuffer;

/**
 * Writes the free places of a volume file for the first time, before a block does. The space of such a file is its own
 * from the start, but with the first write to a place the file system below notes in its journal that there is
 * something now, which each flush then waits for; with all later ones it has nothing to note. Blocks come from both
 * ends of the longest free run, streams from below and short ones from above, so it is written from both.
 *
 * <p>Only free room that was claimed for it is written, so no block can be there; a crash leaves zeros in free room, or
 * what the index says of it behind, and then it is written once more. One thread uses it.
 */
public final class FirstWrites {
    /** So much is held of the free room at once, and so long others may wait for that. */
    private static final long STEP_BYTES = 4L * Device.UNIT_BYTES;

    private final VolumeParts parts;
    private Extent unwritten;

    /** @param unwritten outside of this nothing is written for the first time; what the index says */
    FirstWrites(VolumeParts parts, Extent unwritten) {
        this.parts = parts;
        this.unwritten = unwritten;
    }

    /**
     * Writes the next places and makes that known to the index.
     *
     * @param aheadBytes how much is to be written ahead of blocks, at each end
     * @return how many bytes were written; 0 where that much is written already, or others need the room or the buffers
     * @throws TatamiException what stopped the volume; NO_SPACE where the file system under a volume file is full
     */
    public long writeNext(long aheadBytes) throws TatamiException {
        Extent gap = parts.allocator().longestRun();
        long low = Math.max(gap.offsetBytes(), unwritten.offsetBytes());
        long high = Math.min(gap.endBytes(), unwritten.endBytes());
        long lowEnd = Math.min(high, gap.offsetBytes() + aheadBytes);
        long highStart = Math.max(low, gap.endBytes() - aheadBytes);
        if (low < lowEnd) {
            long end = Math.min(lowEnd, low + STEP_BYTES);
            return write(between(low, end), between(end, unwritten.endBytes()));
        }
        if (highStart < high) {
            long start = Math.max(highStart, high - STEP_BYTES);
            return write(between(start, high), between(unwritten.offsetBytes(), start));
        }
        return 0;
    }

    private long write(Extent place, Extent left) throws TatamiException {
        AlignedBuffer buffer = parts.resources().writeBuffers().tryAcquire();
        if (buffer == null) {
            return 0;
        }
        parts.moving().lock();
        try {
            if (!parts.allocator().claim(place)) {
                return 0;
            }
            try {
                CrashPoint.hit("volume.first-write.after-claim");
                zero(place, buffer);
                parts.flush().flush();
                CrashPoint.hit("volume.first-write.after-flush");
            } finally {
                parts.allocator().release(place);
            }
        } finally {
            parts.moving().unlock();
            buffer.release();
        }
        parts.index().setUnwritten(left);
        CrashPoint.hit("volume.first-write.after-commit");
        unwritten = left;
        return place.lengthBytes();
    }

    private void zero(Extent place, AlignedBuffer buffer) throws TatamiException {
        buffer.range(0, Device.UNIT_BYTES).put(new byte[Device.UNIT_BYTES]);
        for (long at = place.offsetBytes(); at < place.endBytes(); at += Device.UNIT_BYTES) {
            long offset = at;
            ByteBuffer zeros = buffer.range(0, (int) Math.min(Device.UNIT_BYTES, place.endBytes() - at));
            parts.threads().stream(AccessKind.BACKGROUND)
                    .submit(zeros.remaining(), () -> parts.device().write(offset, zeros))
                    .await();
        }
    }

    private static Extent between(long start, long end) {
        return start >= end ? Extent.EMPTY : new Extent(start, end - start);
    }
}
