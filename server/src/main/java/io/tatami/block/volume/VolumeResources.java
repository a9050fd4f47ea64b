package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.block.device.AlignedBufferPool;
import io.tatami.block.device.Device;

/**
 * What a volume is given from outside.
 *
 * @param writeBuffers units of 4 MiB for bytes on their way to the device: one that fills and up to three that are
 *     written for each busy writer, and one for each that waits for its client
 * @param readBuffers units of 4 MiB for bytes on their way to readers
 * @param damage told of chunks that fail their checksums
 */
public record VolumeResources(
        AlignedBufferPool writeBuffers, AlignedBufferPool readBuffers, VolumeSettings settings, DamageListener damage) {

    /** Told of every chunk that failed its checksum, by the thread that read it; must return soon. */
    @FunctionalInterface
    public interface DamageListener {
        /** @param offsetBytes where in the block the chunk begins */
        void chunkDamaged(BlockId block, long offsetBytes);
    }

    public VolumeResources {
        Check.check(
                writeBuffers.bufferBytes() == Device.UNIT_BYTES && readBuffers.bufferBytes() == Device.UNIT_BYTES,
                "buffers are not of %d bytes",
                Device.UNIT_BYTES);
    }

    /** Pools of the given numbers of buffers, default settings, and nobody told of damage. */
    public static VolumeResources withBuffers(int writeBuffers, int readBuffers) {
        return new VolumeResources(
                new AlignedBufferPool(Device.UNIT_BYTES, writeBuffers),
                new AlignedBufferPool(Device.UNIT_BYTES, readBuffers),
                VolumeSettings.DEFAULT,
                (block, offsetBytes) -> {});
    }
}
