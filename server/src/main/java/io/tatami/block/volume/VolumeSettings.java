package io.tatami.block.volume;

import io.tatami.base.Check;

/**
 * How a volume uses its device.
 *
 * @param ioThreads how many accesses the device is given at once
 * @param readAheadUnits how many units of 4 MiB a reader asks for ahead at most; fewer where its share of the buffers
 *     is smaller
 * @param bufferWaitMillis how long a reader or writer waits for a buffer before it fails with BUSY
 * @param reserveBytes room that is never handed out to blocks
 */
public record VolumeSettings(int ioThreads, int readAheadUnits, long bufferWaitMillis, long reserveBytes) {
    public static final VolumeSettings DEFAULT = new VolumeSettings(4, 6, 30_000, 0);

    public VolumeSettings {
        Check.check(ioThreads > 0, "%d I/O threads", ioThreads);
        Check.check(readAheadUnits > 0, "%d units of read-ahead", readAheadUnits);
        Check.check(bufferWaitMillis >= 0 && reserveBytes >= 0, "negative setting");
    }
}
