package io.tatami.block.volume.format;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.device.DeviceInspector;
import io.tatami.block.device.DirectDevice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.UUID;

/**
 * A device or file of a server's cache tier. It bears a superblock without an index, so that nobody else's data is ever
 * overwritten, and nobody takes it for a volume; what lies behind the superblock is worth nothing after a restart.
 */
public final class CacheVolume {
    /** Where copies may begin. */
    public static final long DATA_OFFSET = SuperblockFormat.DATA_OFFSET;

    private static final UUID NO_INDEX = new UUID(0, 0);

    private CacheVolume() {}

    /**
     * Opens and locks a cache volume, and makes it one where it is empty or, as a file, not there.
     *
     * @param sizeBytes of a file that is made
     * @throws TatamiException what {@link DirectDevice#open} throws; ALREADY_EXISTS where it holds something else,
     *     WRONG_CLUSTER; INVALID_ARGUMENT where it is too small; NO_SPACE; IO_ERROR. Each message names the remedy.
     */
    public static Device open(Path path, long sizeBytes, UUID cluster) throws TatamiException {
        if (!Files.exists(path)) {
            VolumeFormatter.createFile(path, sizeBytes);
        }
        Device device = DirectDevice.open(path);
        try {
            require(device, path, cluster);
            return device;
        } catch (TatamiException | RuntimeException e) {
            try {
                device.close();
            } catch (TatamiException closing) {
                e.addSuppressed(closing);
            }
            throw e;
        }
    }

    private static void require(Device device, Path path, UUID cluster) throws TatamiException {
        if (device.sizeBytes() < SuperblockFormat.SIZE_BYTES_MIN) {
            throw VolumeFormatter.tooSmall(device);
        }
        SuperblockFormat.Superblock found = SuperblockFormat.find(device);
        if (found == null) {
            new DeviceInspector().inspect(path).refuse(path, false);
            SecureRandom random = new SecureRandom();
            UUID id = new UUID(random.nextLong(), random.nextLong());
            SuperblockFormat.write(device, new SuperblockFormat.Superblock(cluster, id, NO_INDEX, device.sizeBytes()));
            return;
        }
        if (!found.index().equals(NO_INDEX)) {
            throw new TatamiException(
                    ErrorCode.ALREADY_EXISTS,
                    path + " is volume " + found.volume() + " of cluster " + found.cluster()
                            + " and holds blocks; choose another device for the cache");
        }
        if (!found.cluster().equals(cluster)) {
            throw new TatamiException(
                    ErrorCode.WRONG_CLUSTER,
                    path + " is a cache of cluster " + found.cluster() + ", not of " + cluster
                            + "; wipe its first 4 MiB, or choose another device");
        }
    }
}
