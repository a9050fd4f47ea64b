package io.tatami.block.volume;

import io.tatami.base.Check;
import io.tatami.block.device.AlignedBufferPool;
import io.tatami.block.device.BufferShare;
import io.tatami.block.device.Device;
import org.jspecify.annotations.Nullable;

/**
 * What the units of a {@link BlockReader} are read into.
 *
 * @param buffers of {@link Device#UNIT_BYTES} each
 * @param receiverVerifies whether whoever gets the units compares each chunk with its checksum anyway. Only chunks that
 *     a range cuts are verified here then, as their checksums are made anew; damage of others is neither found nor told
 * @param owner of all readers that may together hold half of the buffers; null where there is no such limit
 * @param waitMillis how long a reader that has no buffer waits for one before it fails with BUSY
 */
public record UnitMemory(
        AlignedBufferPool buffers,
        boolean receiverVerifies,
        @Nullable String owner,
        long waitMillis) {
    public UnitMemory {
        Check.check(buffers.bufferBytes() == Device.UNIT_BYTES, "buffers of %d bytes", buffers.bufferBytes());
    }

    /** What one reader will hold of the buffers. */
    BufferShare share() {
        return owner == null ? buffers.share() : buffers.share(owner);
    }
}
