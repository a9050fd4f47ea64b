package io.tatami.block.volume;

import io.tatami.base.CrashPoint;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.device.DeviceInspector;
import io.tatami.block.device.DirectDevice;
import io.tatami.block.device.FailStop;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Makes volumes of one cluster. The superblock is written last: broken off before, a format leaves no volume and is simply
 * done again.
 */
public final class VolumeFormatter {
    private final UUID cluster;
    private final RandomGenerator random;
    private final DeviceInspector inspector;

    /** @param random where the ids come from; must not repeat, so not a seeded one but in tests */
    public VolumeFormatter(UUID cluster, RandomGenerator random) {
        this(cluster, random, new DeviceInspector());
    }

    VolumeFormatter(UUID cluster, RandomGenerator random, DeviceInspector inspector) {
        this.cluster = cluster;
        this.random = random;
        this.inspector = inspector;
    }

    /**
     * Formats a block device or a file that exists (see {@link io.tatami.block.device.VolumeFile}).
     *
     * @param indexDirectory where the block index goes: on another file system than the device, empty or not there, or
     *     with what a format that was broken off has left
     * @param force destroys what the device holds, and the index in the directory (no other files); a device in use is
     *     refused all the same
     * @return the new volume's id
     * @throws TatamiException what {@link DirectDevice#open} throws; IN_USE; ALREADY_EXISTS where it holds something and
     *     {@code force} is not set; INVALID_ARGUMENT where it is too small; IO_ERROR. Each message names the remedy.
     */
    public UUID format(Path path, Path indexDirectory, boolean force) throws TatamiException {
        return format(path, indexDirectory, force, nextId());
    }

    /**
     * {@link #format(Path, Path, boolean)} with an index among those of a server, beside which those of its other volumes
     * stay as they are. By force the index of the volume goes that the device was.
     */
    public UUID format(Path path, IndexDirectories indexes, boolean force) throws TatamiException {
        Optional<UUID> before = force ? volumeAt(path) : Optional.empty();
        UUID volume = nextId();
        format(path, indexes.of(volume), force, volume);
        if (before.isPresent()) {
            RocksIndexStore.destroy(indexes.find(before.get()));
        }
        return volume;
    }

    private UUID format(Path path, Path indexDirectory, boolean force, UUID volume) throws TatamiException {
        if (Files.exists(path) && !Files.isDirectory(path)) {
            inspector.inspect(path).refuse(path, force);
        }
        try (Device device = DirectDevice.open(path)) {
            refuseVolume(device, force);
            SuperblockFormat.wipe(device);
            if (force || IndexDirectories.isUnused(indexDirectory)) {
                RocksIndexStore.destroy(indexDirectory);
            }
            FailStop failStop = new FailStop("volume " + path);
            try (IndexStore store = RocksIndexStore.create(indexDirectory, failStop)) {
                CrashPoint.hit("volume.format.index-made");
                return format(device, store, volume);
            }
        }
    }

    /**
     * Whether this is no volume yet, or a format of it was broken off, so that {@link #format} may be called for it: there
     * is no superblock, and no index with blocks that may be its.
     *
     * @param path need not exist
     * @param indexes of the server
     * @param volumes which the server's other devices are
     */
    public static boolean isUnformatted(Path path, IndexDirectories indexes, Set<UUID> volumes) throws TatamiException {
        return volumeAt(path).isEmpty() && !indexes.hasBlocksOfNone(volumes);
    }

    /** Which volume, of any cluster, a device or file is; nothing where it is none or not there. */
    public static Optional<UUID> volumeAt(Path path) throws TatamiException {
        if (!Files.exists(path)) {
            return Optional.empty();
        }
        try (Device device = DirectDevice.open(path)) {
            return device.sizeBytes() < SuperblockFormat.SIZE_BYTES_MIN
                    ? Optional.empty()
                    : Optional.ofNullable(SuperblockFormat.find(device)).map(SuperblockFormat.Superblock::volume);
        }
    }

    /** Writes identity and superblock onto an empty index and a device without a superblock. */
    UUID format(Device device, IndexStore store) throws TatamiException {
        return format(device, store, nextId());
    }

    private UUID format(Device device, IndexStore store, UUID volume) throws TatamiException {
        SuperblockFormat.Superblock superblock =
                new SuperblockFormat.Superblock(cluster, volume, nextId(), Device.alignDown(device.sizeBytes()));
        BlockIndex.writeIdentity(store, new BlockIndex.Identity(cluster, superblock.volume(), superblock.index()));
        CrashPoint.hit("volume.format.after-index");
        SuperblockFormat.write(device, superblock);
        return superblock.volume();
    }

    static TatamiException tooSmall(Device device) {
        return new TatamiException(
                ErrorCode.INVALID_ARGUMENT,
                device.name() + " has " + device.sizeBytes() + " bytes; a volume needs "
                        + SuperblockFormat.SIZE_BYTES_MIN + " at least: use a larger one");
    }

    private void refuseVolume(Device device, boolean force) throws TatamiException {
        if (device.sizeBytes() < SuperblockFormat.SIZE_BYTES_MIN) {
            throw tooSmall(device);
        }
        if (force) {
            return;
        }
        SuperblockFormat.Superblock found = SuperblockFormat.find(device);
        if (found != null) {
            String owner = found.cluster().equals(cluster) ? "this cluster" : "cluster " + found.cluster();
            throw new TatamiException(
                    ErrorCode.ALREADY_EXISTS,
                    device.name() + " is volume " + found.volume() + " of " + owner
                            + "; 'format --force' would destroy its blocks");
        }
    }

    private UUID nextId() {
        return new UUID(random.nextLong(), random.nextLong());
    }
}
