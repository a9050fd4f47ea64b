package io.tatami.block.volume.format;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.device.DeviceInspector;
import io.tatami.block.device.DirectDevice;
import io.tatami.block.device.FailStop;
import io.tatami.block.device.VolumeFile;
import io.tatami.block.volume.index.BlockIndex;
import io.tatami.block.volume.index.IndexDirectories;
import io.tatami.block.volume.index.IndexStore;
import io.tatami.block.volume.index.RocksIndexStore;
import io.tatami.block.volume.space.Extent;
import io.tatami.files.CrashPoint;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes volumes of one cluster. The device says first that a format has begun, and for which volume; the superblock is
 * written last. Broken off between, a format leaves no volume, and given again it removes what it had left of an index,
 * and nothing else.
 */
public final class VolumeFormatter {
    private final UUID cluster;
    private final RandomGenerator random;
    private final DeviceInspector inspector;

    /** @param random where the ids come from; must not repeat, so not a seeded one but in tests */
    public VolumeFormatter(UUID cluster, RandomGenerator random) {
        this(cluster, random, new DeviceInspector());
    }

    public VolumeFormatter(UUID cluster, RandomGenerator random, DeviceInspector inspector) {
        this.cluster = cluster;
        this.random = random;
        this.inspector = inspector;
    }

    /**
     * Formats a block device or a file that exists (see {@link #createFile}).
     *
     * @param indexDirectory where the block index goes: on another file system than the device, empty or not there, or
     *     with what a format that was broken off has left
     * @param force destroys what the device holds, and the index in the directory (no other files); a device in use is
     *     refused all the same
     * @return the new volume's id
     * @throws TatamiException what {@link DirectDevice#open} throws; IN_USE; ALREADY_EXISTS where it holds something
     *     and {@code force} is not set; INVALID_ARGUMENT where it is too small; IO_ERROR. Each message names the
     *     remedy.
     */
    public UUID format(Path path, Path indexDirectory, boolean force) throws TatamiException {
        return format(path, force, begun -> {
            if (force || IndexDirectories.isUnused(indexDirectory)) {
                RocksIndexStore.destroy(indexDirectory);
            }
            return indexDirectory;
        });
    }

    /**
     * {@link #format(Path, Path, boolean)} with an index among those of a server, beside which those of its other
     * volumes stay as they are. By force the index of the volume goes that the device was. One that was broken off goes
     * on with the same id.
     */
    public UUID format(Path path, IndexDirectories indexes, boolean force) throws TatamiException {
        return format(path, force, begun -> {
            if (begun.before() != null) {
                indexes.discard(begun.before());
                CrashPoint.hit("volume.format.index-before-removed");
            }
            Path index = indexes.of(begun.volume());
            if (IndexDirectories.isUnused(index)) {
                RocksIndexStore.destroy(index);
            }
            return index;
        });
    }

    /** Makes room for the index of a format that has begun. */
    @FunctionalInterface
    private interface IndexPlace {
        Path cleared(SuperblockFormat.Begun begun) throws TatamiException;
    }

    private UUID format(Path path, boolean force, IndexPlace place) throws TatamiException {
        if (Files.exists(path) && !Files.isDirectory(path)) {
            inspector.inspect(path).refuse(path, force);
        }
        try (Device device = DirectDevice.open(path)) {
            if (device.sizeBytes() < SuperblockFormat.SIZE_BYTES_MIN) {
                throw tooSmall(device);
            }
            SuperblockFormat.Superblock found = SuperblockFormat.find(device);
            if (found != null && !force) {
                return finish(device, found);
            }
            SuperblockFormat.Begun begun = begin(device, found);
            Path indexDirectory = place.cleared(begun);
            FailStop failStop = new FailStop("volume " + path);
            try (IndexStore store = RocksIndexStore.create(indexDirectory, failStop)) {
                CrashPoint.hit("volume.format.index-made");
                return format(device, store, begun.volume(), Files.isRegularFile(path));
            }
        }
    }

    /** Writes that a format has begun; what is there of one that was broken off stays. */
    private SuperblockFormat.Begun begin(Device device, SuperblockFormat.@Nullable Superblock before)
            throws TatamiException {
        SuperblockFormat.Begun begun = before == null ? SuperblockFormat.findBegun(device) : null;
        if (begun == null || !begun.cluster().equals(cluster)) {
            begun = new SuperblockFormat.Begun(cluster, nextId(), before == null ? null : before.volume());
        }
        SuperblockFormat.begin(device, begun);
        return begun;
    }

    /** Writes the second superblock where a format was broken off before it; another volume is refused. */
    private UUID finish(Device device, SuperblockFormat.Superblock found) throws TatamiException {
        SuperblockFormat.Begun begun = SuperblockFormat.findBegun(device);
        if (begun != null && begun.cluster().equals(cluster) && begun.volume().equals(found.volume())) {
            SuperblockFormat.write(device, found);
            return found.volume();
        }
        String owner = found.cluster().equals(cluster) ? "this cluster" : "cluster " + found.cluster();
        throw new TatamiException(
                ErrorCode.ALREADY_EXISTS,
                device.name() + " is volume " + found.volume() + " of " + owner
                        + "; 'format --force' would destroy its blocks");
    }

    /**
     * Whether this is no volume yet, or a format of it was broken off, so that {@link #format} may be called for it:
     * there is no superblock, and no index with blocks that may be its.
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
    public UUID format(Device device, IndexStore store) throws TatamiException {
        return format(device, store, nextId(), false);
    }

    /** @param isFile whether it may lie in places of a file that nothing was written to yet */
    private UUID format(Device device, IndexStore store, UUID volume, boolean isFile) throws TatamiException {
        SuperblockFormat.Superblock superblock =
                new SuperblockFormat.Superblock(cluster, volume, nextId(), Device.alignDown(device.sizeBytes()));
        Extent unwritten = new Extent(0, isFile ? superblock.sizeBytes() : 0);
        BlockIndex.writeIdentity(
                store, new BlockIndex.Identity(cluster, superblock.volume(), superblock.index()), unwritten);
        CrashPoint.hit("volume.format.after-index");
        SuperblockFormat.write(device, superblock);
        return superblock.volume();
    }

    /**
     * Makes a file for a volume or a cache.
     *
     * @throws TatamiException INVALID_ARGUMENT where it would be too small, and nothing is made; what
     *     {@link VolumeFile#create} throws
     */
    public static VolumeFile.Allocation createFile(Path path, long sizeBytes) throws TatamiException {
        if (sizeBytes < SuperblockFormat.SIZE_BYTES_MIN) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    path + " should have " + sizeBytes + " bytes; a volume needs " + SuperblockFormat.SIZE_BYTES_MIN
                            + " bytes at least: choose a larger capacity");
        }
        return VolumeFile.create(path, sizeBytes);
    }

    public static TatamiException tooSmall(Device device) {
        return new TatamiException(
                ErrorCode.INVALID_ARGUMENT,
                device.name() + " has " + device.sizeBytes() + " bytes; a volume needs "
                        + SuperblockFormat.SIZE_BYTES_MIN + " bytes at least: use a larger one");
    }

    private UUID nextId() {
        return new UUID(random.nextLong(), random.nextLong());
    }
}
