package io.tatami.block.volume;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.AlignedBufferPool;
import io.tatami.block.device.FailStop;
import io.tatami.block.device.GuardedDevice;
import io.tatami.block.device.IoThreads;
import io.tatami.block.device.SharedFlush;
import java.util.concurrent.atomic.LongAdder;

/** What the parts of one volume share; each is safe for use by many threads. */
record VolumeParts(
        GuardedDevice device,
        IoThreads threads,
        SharedFlush flush,
        BlockIndex index,
        ExtentAllocator allocator,
        VolumeResources resources,
        FailStop failStop,
        LongAdder damagedChunks) {

    /** Tells everybody that a chunk failed its checksum; returns what to throw. */
    TatamiException damaged(Replica replica, long offsetBytes) {
        replica.markDamaged();
        damagedChunks.increment();
        resources.damage().chunkDamaged(replica.block(), offsetBytes);
        return new TatamiException(
                ErrorCode.CORRUPT,
                "block " + replica.block() + " fails its checksum in the chunk at " + offsetBytes + " on "
                        + device.name(),
                Long.toString(offsetBytes),
                null);
    }

    AlignedBuffer acquireWriteBuffer() throws TatamiException {
        return acquire(resources.writeBuffers(), "write");
    }

    /** One of the volume's own read buffers, or of a reader's. */
    AlignedBuffer acquireReadBuffer(AlignedBufferPool pool) throws TatamiException {
        return acquire(pool, "read");
    }

    private AlignedBuffer acquire(AlignedBufferPool pool, String kind) throws TatamiException {
        AlignedBuffer buffer = pool.acquire(resources.settings().bufferWaitMillis());
        if (buffer == null) {
            throw new TatamiException(
                    ErrorCode.BUSY,
                    "none of the " + pool.buffers() + " " + kind + " buffers became free within "
                            + resources.settings().bufferWaitMillis() + " ms");
        }
        return buffer;
    }
}
