package io.tatami.server.node;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.device.VolumeFile;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeOpener;
import io.tatami.block.volume.VolumeResources;
import io.tatami.block.volume.format.VolumeFormatter;
import io.tatami.block.volume.index.IndexDirectories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the volumes of a block server, and makes those that are not there. One whose disk or index is broken is left
 * out and reported, as long as another one serves; what only a wrong command can be the cause of ends the start. Used
 * by one thread.
 */
final class VolumesAtStart {
    private static final Logger LOG = LoggerFactory.getLogger(VolumesAtStart.class);

    /** Of each volume and each way: enough for two streams, however many volumes there are. */
    private static final int BUFFERS_MIN = 8;

    /** What a disk that fails or is gone makes of opening its volume. */
    private static final Set<ErrorCode> BROKEN = EnumSet.of(ErrorCode.IO_ERROR, ErrorCode.CORRUPT, ErrorCode.NOT_FOUND);

    private final UUID cluster;
    private final List<Path> paths;
    private final long capacityBytes;
    private final IndexDirectories indexes;
    private final int buffers;

    /** Of the devices that are volumes and can be read. */
    private final Map<Path, UUID> ids = new HashMap<>();

    private final List<VolumeSet.ServedVolume> opened = new ArrayList<>();
    private final List<VolumeSet.FailedVolume> failed = new ArrayList<>();

    private VolumesAtStart(BlockNode.Setup setup, UUID cluster, long buffersBytes) {
        this.cluster = cluster;
        this.paths = setup.volumes().isEmpty() ? List.of(setup.directory().resolve("volume")) : setup.volumes();
        this.capacityBytes = setup.capacityBytes();
        this.indexes = new IndexDirectories(setup.directory());
        this.buffers = (int) Math.max(BUFFERS_MIN, buffersBytes / 2 / Device.UNIT_BYTES / paths.size());
    }

    /**
     * Opens the volumes of a place.
     *
     * @param parts takes each volume that was opened, and closes it
     * @throws TatamiException what the first volume that failed says, where none was opened or it cannot be left out
     */
    static VolumeSet open(BlockNode.Setup setup, UUID cluster, long buffersBytes, Consumer<AutoCloseable> parts)
            throws TatamiException {
        try {
            Files.createDirectories(setup.directory());
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot create " + setup.directory() + ": " + e, e);
        }
        return new VolumesAtStart(setup, cluster, buffersBytes).open(parts);
    }

    private VolumeSet open(Consumer<AutoCloseable> parts) throws TatamiException {
        learnIds();
        TatamiException failure = null;
        for (Path path : paths) {
            try {
                Volume volume = open(path);
                parts.accept(volume);
                opened.add(new VolumeSet.ServedVolume(volume, path.toString()));
            } catch (TatamiException e) {
                if (!BROKEN.contains(e.code())) {
                    throw e;
                }
                LOG.error("volume {} cannot be opened", path, e);
                failed.add(new VolumeSet.FailedVolume(path.toString(), ids.get(path), String.valueOf(e.getMessage())));
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null && opened.isEmpty()) {
            throw failure;
        }
        return new VolumeSet(opened, failed, withoutDevice());
    }

    /** The volumes that the devices may be which cannot be read; where all can be, the others have been given up. */
    private Set<UUID> withoutDevice() throws TatamiException {
        Set<UUID> others = indexes.others(Set.copyOf(ids.values()));
        if (failed.stream().anyMatch(volume -> volume.id() == null)) {
            return others;
        }
        for (UUID volume : others) {
            LOG.warn(
                    "volume {} is not named, and its blocks count as gone; name it with --volume if it is there, or"
                            + " remove its index, index-{}",
                    volume,
                    volume);
        }
        return Set.of();
    }

    /** Which volumes the devices are, as far as they can be read. */
    private void learnIds() {
        for (Path path : paths) {
            try {
                VolumeFormatter.volumeAt(path).ifPresent(id -> ids.put(path, id));
            } catch (TatamiException e) {
                LOG.debug("{} cannot be inspected; opening it reports the cause", path, e);
            }
        }
    }

    private Volume open(Path path) throws TatamiException {
        if (VolumeFormatter.isUnformatted(path, indexes, Set.copyOf(ids.values()))) {
            make(path);
        }
        // Buffers of its own, so that a volume that hangs does not have those of the others.
        VolumeResources resources = VolumeResources.withBuffers(buffers, buffers);
        return new VolumeOpener(cluster, resources).open(path, indexes);
    }

    /** A volume that is not there yet; what a device holds already is refused rather than overwritten. */
    private void make(Path path) throws TatamiException {
        if (!Files.exists(path)) {
            VolumeFile.Allocation allocation = VolumeFile.create(path, capacityBytes);
            LOG.info("made {} with {} bytes, {}", path, capacityBytes, allocation);
        }
        ids.put(path, new VolumeFormatter(cluster, new SecureRandom()).format(path, indexes, false));
    }
}
