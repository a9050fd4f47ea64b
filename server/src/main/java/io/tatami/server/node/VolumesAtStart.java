package io.tatami.server.node;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.service.volumes.RememberedVolumes;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.format.VolumeFormatter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the volumes of a block server, and makes those that are not there. One whose disk or index is broken is left
 * out and reported, as long as another one serves; what only a wrong command can be the cause of ends the start. Used
 * by one thread.
 */
final class VolumesAtStart {
    private static final Logger LOG = LoggerFactory.getLogger(VolumesAtStart.class);

    /** What a disk that fails or is gone makes of opening its volume. */
    private static final Set<ErrorCode> BROKEN = EnumSet.of(ErrorCode.IO_ERROR, ErrorCode.CORRUPT, ErrorCode.NOT_FOUND);

    private final ServerVolumes places;
    private final List<RememberedVolumes.Remembered> remembered;
    private final List<Path> paths = new ArrayList<>();

    /** Of the devices that are volumes and can be read. */
    private final Map<Path, UUID> ids = new HashMap<>();

    private final List<VolumeSet.ServedVolume> opened = new ArrayList<>();
    private final List<VolumeSet.FailedVolume> failed = new ArrayList<>();

    private VolumesAtStart(ServerVolumes places) throws TatamiException {
        this.places = places;
        this.remembered = places.remembered().read();
    }

    /**
     * Opens the volumes of a place.
     *
     * @param places closes what is opened here, also where this fails
     * @throws TatamiException what the first volume that failed says, where none was opened or it cannot be left out
     */
    static VolumeSet open(BlockNode.Setup setup, ServerVolumes places) throws TatamiException {
        try {
            Files.createDirectories(setup.directory());
        } catch (IOException e) {
            throw new TatamiException(
                    ErrorCode.IO_ERROR, "cannot create " + setup.directory() + ": " + Causes.inWords(e), e);
        }
        return new VolumesAtStart(places)
                .open(setup.volumes().isEmpty() ? List.of(setup.directory().resolve("volume")) : setup.volumes());
    }

    /** Those that are named and were not removed since, and those that were added. */
    private void choose(List<Path> named) throws TatamiException {
        for (Path path : named) {
            learnId(path);
            if (isRemoved(path)) {
                LOG.warn(
                        "volume {} was removed while this block server ran, and is not opened; to have it back, use"
                                + " 'tatami admin volume add'",
                        path);
            } else {
                paths.add(path);
            }
        }
        for (RememberedVolumes.Remembered volume : remembered) {
            Path path = Path.of(volume.path());
            boolean isNamed =
                    named.stream().anyMatch(other -> ServerVolumes.normal(other).equals(path));
            if (volume.added() && !isNamed && !ids.containsValue(volume.id())) {
                learnId(path);
                paths.add(path);
            }
        }
        if (paths.isEmpty()) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    "all volumes that are named were removed while this block server ran; name another one");
        }
    }

    private boolean isRemoved(Path path) {
        String place = ServerVolumes.normal(path).toString();
        return remembered.stream().anyMatch(volume -> volume.removed() && volume.is(place, ids.get(path)));
    }

    /** What is known of a path from before; null for nothing. */
    private RememberedVolumes.@Nullable Remembered added(Path path) {
        String place = ServerVolumes.normal(path).toString();
        return remembered.stream()
                .filter(volume -> volume.added() && volume.path().equals(place))
                .findFirst()
                .orElse(null);
    }

    private VolumeSet open(List<Path> named) throws TatamiException {
        choose(named);
        TatamiException failure = null;
        for (Path path : paths) {
            try {
                Volume volume = openOne(path);
                opened.add(new VolumeSet.ServedVolume(volume, path.toString()));
            } catch (TatamiException e) {
                if (!BROKEN.contains(e.code())) {
                    throw e;
                }
                LOG.error("volume {} cannot be opened", path, e);
                failed.add(new VolumeSet.FailedVolume(path.toString(), idOf(path), String.valueOf(e.getMessage())));
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
        missOthers();
        return new VolumeSet(opened, failed, withoutDevice());
    }

    /** Volumes that were added, and in whose places there is another one now. */
    private void missOthers() {
        Set<UUID> found = new HashSet<>();
        opened.forEach(served -> found.add(served.volume().id()));
        failed.stream().map(VolumeSet.FailedVolume::id).filter(Objects::nonNull).forEach(found::add);
        for (RememberedVolumes.Remembered volume : remembered) {
            if (volume.added() && volume.id() != null && !found.contains(volume.id())) {
                String reason = "at " + volume.path() + " there is another volume";
                LOG.error("volume {} cannot be opened: {}", volume.id(), reason);
                failed.add(new VolumeSet.FailedVolume(volume.path(), volume.id(), reason));
            }
        }
    }

    /** The volumes that the devices may be which cannot be read; where all can be, the others have been given up. */
    private Set<UUID> withoutDevice() throws TatamiException {
        Set<UUID> others = places.indexes().others(known());
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

    /** Which volumes the devices are, as far as that is known, and those that were removed. */
    private Set<UUID> known() {
        Set<UUID> known = new HashSet<>(ids.values());
        remembered.stream()
                .map(RememberedVolumes.Remembered::id)
                .filter(Objects::nonNull)
                .forEach(known::add);
        return known;
    }

    private @Nullable UUID idOf(Path path) {
        RememberedVolumes.Remembered known = added(path);
        return known == null ? ids.get(path) : ids.getOrDefault(path, known.id());
    }

    /** Which volume a device is, if it can be read. */
    private void learnId(Path path) {
        try {
            VolumeFormatter.volumeAt(path).ifPresent(id -> ids.put(path, id));
        } catch (TatamiException e) {
            LOG.debug("{} cannot be inspected; opening it reports the cause", path, e);
        }
    }

    private Volume openOne(Path path) throws TatamiException {
        // One that was added is made no second time: what it held would be taken for gone.
        if (added(path) == null && VolumeFormatter.isUnformatted(path, places.indexes(), readable())) {
            ids.put(path, places.make(path));
        }
        Volume volume = places.openOneOf(paths.size(), path);
        String place = ServerVolumes.normal(path).toString();
        volume.closeToNew(remembered.stream().anyMatch(known -> known.drained() && known.is(place, volume.id())));
        return volume;
    }

    /** The volumes that indexes may be of: those that can be read, and those that were removed. */
    private Set<UUID> readable() {
        Set<UUID> readable = new HashSet<>(ids.values());
        remembered.stream()
                .filter(RememberedVolumes.Remembered::removed)
                .map(RememberedVolumes.Remembered::id)
                .filter(Objects::nonNull)
                .forEach(readable::add);
        return readable;
    }
}
