package io.tatami.server.node;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.device.VolumeFile;
import io.tatami.block.service.volumes.RememberedVolumes;
import io.tatami.block.service.volumes.VolumePlaces;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeOpener;
import io.tatami.block.volume.VolumeResources;
import io.tatami.block.volume.format.VolumeFormatter;
import io.tatami.block.volume.index.IndexDirectories;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens volumes of a block server, makes those that are not there, and closes all that it opened. Safe for use by many
 * threads, of which one at a time opens.
 */
final class ServerVolumes implements VolumePlaces, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ServerVolumes.class);

    /** Of each volume and each way: enough for two streams, however many volumes there are. */
    private static final int BUFFERS_MIN = 8;

    private final UUID cluster;
    private final long capacityBytes;
    private final long buffersBytes;
    private final IndexDirectories indexes;
    private final RememberedVolumes remembered;

    // Guarded by this.
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private boolean closed;

    ServerVolumes(BlockNode.Setup setup, UUID cluster, long buffersBytes) {
        this.cluster = cluster;
        this.capacityBytes = setup.capacityBytes();
        this.buffersBytes = buffersBytes;
        this.indexes = new IndexDirectories(setup.directory());
        this.remembered = new RememberedVolumes(setup.directory(), cluster);
    }

    IndexDirectories indexes() {
        return indexes;
    }

    @Override
    public RememberedVolumes remembered() {
        return remembered;
    }

    @Override
    public String normal(String path) {
        try {
            return normal(Path.of(path)).toString();
        } catch (InvalidPathException e) {
            LOG.debug("a volume is named by what is no path", e);
            return path;
        }
    }

    static Path normal(Path path) {
        return path.toAbsolutePath().normalize();
    }

    /** Buffers each way of one of so many volumes, which all together have what there is. */
    private int buffers(int volumes) {
        return (int) Math.max(BUFFERS_MIN, buffersBytes / 2 / Device.UNIT_BYTES / Math.max(1, volumes));
    }

    /** With the fewest buffers, for those of the start have what there is; at the next start it has an equal part. */
    @Override
    public Volume open(String path, long fileBytes, VolumeSet serving) throws TatamiException {
        Path place;
        try {
            place = Path.of(path);
        } catch (InvalidPathException e) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "'" + path + "' is not a path", e);
        }
        Set<UUID> known = new HashSet<>();
        serving.volumes().forEach(served -> known.add(served.volume().id()));
        remembered.read().stream()
                .filter(RememberedVolumes.Remembered::removed)
                .map(RememberedVolumes.Remembered::id)
                .filter(Objects::nonNull)
                .forEach(known::add);
        if (VolumeFormatter.isUnformatted(place, indexes, known)) {
            UUID unused = make(place, fileBytes == 0 ? capacityBytes : fileBytes);
        }
        return open(place, BUFFERS_MIN);
    }

    /** One of {@code volumes} that are opened together. */
    Volume openOneOf(int volumes, Path path) throws TatamiException {
        return open(path, buffers(volumes));
    }

    /** A volume that is added where memory is short is refused, and the server goes on. */
    private static VolumeResources resources(Path path, int buffers) throws TatamiException {
        try {
            return VolumeResources.withBuffers(buffers, buffers);
        } catch (OutOfMemoryError e) {
            throw new TatamiException(
                    ErrorCode.NO_SPACE,
                    "the buffers of volume " + path + " do not fit into this process's direct memory: start it with"
                            + " TATAMI_OPTS=-XX:MaxDirectMemorySize=... of more, or set tatami.block.buffers to less",
                    e);
        }
    }

    private Volume open(Path path, int buffers) throws TatamiException {
        // Buffers of its own, so that a volume that hangs does not have those of the others.
        VolumeResources resources = resources(path, buffers);
        Volume volume = new VolumeOpener(cluster, resources).open(path, indexes);
        if (!keep(volume)) {
            volume.close();
            throw new TatamiException(ErrorCode.UNAVAILABLE, "the block server is stopping");
        }
        return volume;
    }

    @Override
    public void close(Volume volume) throws TatamiException {
        try {
            volume.close();
        } finally {
            synchronized (this) {
                opened.removeFirstOccurrence(volume);
            }
        }
    }

    private synchronized boolean keep(Volume volume) {
        if (!closed) {
            opened.push(volume);
        }
        return !closed;
    }

    /**
     * A volume that is not there yet; what a device holds already is refused rather than overwritten.
     *
     * @return its id
     */
    UUID make(Path path, long fileBytes) throws TatamiException {
        if (!Files.exists(path)) {
            VolumeFile.Allocation allocation = VolumeFormatter.createFile(path, fileBytes);
            LOG.info("made {} with {} bytes, {}", path, fileBytes, allocation);
        }
        return new VolumeFormatter(cluster, new SecureRandom()).format(path, indexes, false);
    }

    /** A volume of the start that is not there yet. */
    UUID make(Path path) throws TatamiException {
        return make(path, capacityBytes);
    }

    @Override
    public void close() throws TatamiException {
        Deque<AutoCloseable> closing;
        synchronized (this) {
            closed = true;
            closing = new ArrayDeque<>(opened);
            opened.clear();
        }
        PartsCloser.close(closing);
    }
}
