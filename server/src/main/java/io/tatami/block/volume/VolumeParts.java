package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.BufferShare;
import io.tatami.block.device.FailStop;
import io.tatami.block.device.GuardedDevice;
import io.tatami.block.device.IoThreads;
import io.tatami.block.device.SharedFlush;
import io.tatami.block.volume.index.BlockIndex;
import io.tatami.block.volume.index.FlushedEnds;
import io.tatami.block.volume.space.Extent;
import io.tatami.block.volume.space.ExtentAllocator;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What the parts of one volume share; each is safe for use by many threads.
 *
 * @param moving held by {@link BlockRelocator} while it holds room that no block has
 * @param coming blocks that are being begun here, or come from another volume: of each only one of both at a time
 */
record VolumeParts(
        GuardedDevice device,
        IoThreads threads,
        SharedFlush flush,
        BlockIndex index,
        ExtentAllocator allocator,
        VolumeResources resources,
        FailStop failStop,
        DamageRecord damage,
        ReentrantLock moving,
        FlushedEnds flushedEnds,
        Set<BlockId> coming) {

    /**
     * {@link ExtentAllocator#allocate}, which refuses nobody for the sake of room that a move holds: that is free again
     * when the move has ended, and then another try is made.
     */
    Extent allocate(long wantedBytes, long minimumBytes, ExtentAllocator.End end) throws TatamiException {
        try {
            return allocator.allocate(wantedBytes, minimumBytes, end);
        } catch (TatamiException e) {
            moving.lock();
            try {
                return allocator.allocate(wantedBytes, minimumBytes, end);
            } finally {
                moving.unlock();
            }
        }
    }

    /** A buffer to write from; waits for one. */
    AlignedBuffer acquireWriteBuffer() throws TatamiException {
        return acquire(resources.writeBuffers().share(), resources.settings().bufferWaitMillis(), "write");
    }

    /**
     * A buffer of a share; waits for one.
     *
     * @param kind what it is for, as errors call it
     * @throws TatamiException BUSY
     */
    AlignedBuffer acquire(BufferShare share, long waitMillis, String kind) throws TatamiException {
        AlignedBuffer buffer = share.acquire(waitMillis);
        if (buffer == null) {
            throw new TatamiException(
                    ErrorCode.BUSY, "no " + kind + " buffer became free within " + waitMillis + " ms");
        }
        return buffer;
    }
}
