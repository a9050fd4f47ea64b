package io.tatami.block.service;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.service.volumes.VolumePlaces;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.Volume;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.ChangeVolumeRequest;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds, drains and removes volumes while the server runs, one at a time. What the next start has to know is durable
 * before the change is carried out, but for an addition, which is known once the volume is open. Safe for use by many
 * threads; calls block on disks.
 */
final class VolumeChanges {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeChanges.class);

    private final VolumeSet volumes;
    private final @Nullable VolumePlaces places;
    private final Parts parts;
    private final ReentrantLock changing = new ReentrantLock();

    /** What looks after each volume. */
    interface Parts {
        /** Looks after a volume that is going to be served. */
        void add(VolumeSet.ServedVolume served);

        /** The server's volumes are others than before. */
        void changed();

        /** Whether the cluster has heard of that. */
        boolean areKnown();

        /**
         * Ends what is under way on a volume that is no longer served, and forgets it and has {@code closing} run then;
         * does not wait for that.
         */
        void end(VolumeSet.ServedVolume served, Closing closing);
    }

    /** Closes a volume. */
    @FunctionalInterface
    interface Closing {
        void run() throws TatamiException;
    }

    /** @param places null where volumes are those of the start */
    VolumeChanges(VolumeSet volumes, @Nullable VolumePlaces places, Parts parts) {
        this.volumes = volumes;
        this.places = places;
        this.parts = parts;
    }

    /**
     * Returns when the change is durable and in effect. May be repeated.
     *
     * @throws TatamiException as {@link io.tatami.protocol.BlockMethods#CHANGE_VOLUME}
     */
    void change(ChangeVolumeRequest request) throws TatamiException {
        VolumePlaces known = places;
        if (known == null) {
            throw new TatamiException(
                    ErrorCode.UNSUPPORTED, "the volumes of this block server are those that it was started with");
        }
        if (request.getVolume().isEmpty()) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "no volume is named");
        }
        if (!changing.tryLock()) {
            throw new TatamiException(
                    ErrorCode.BUSY, "another change of this block server's volumes is under way; ask again");
        }
        try {
            switch (request.getAction()) {
                case ADD -> add(known, request);
                case DRAIN -> drain(known, request.getVolume(), true);
                case UNDRAIN -> drain(known, request.getVolume(), false);
                case REMOVE -> remove(known, request);
                case NONE, UNRECOGNIZED ->
                    throw new TatamiException(ErrorCode.UNSUPPORTED, "this release knows no such change of a volume");
            }
        } finally {
            changing.unlock();
        }
    }

    private void add(VolumePlaces known, ChangeVolumeRequest request) throws TatamiException {
        String path = known.normal(request.getVolume());
        if (request.getCapacityBytes() < 0) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, request.getCapacityBytes() + " is not a size of a volume");
        }
        for (VolumeSet.ServedVolume served : volumes.volumes()) {
            if (known.normal(served.path()).equals(path)) {
                known.remembered()
                        .added(path, served.volume().id(), served.volume().isClosedToNew());
                return;
            }
        }
        Volume volume = known.open(path, request.getCapacityBytes(), volumes);
        try {
            CrashPoint.hit("service.volume.before-remembered");
            known.remembered().added(path, volume.id(), false);
        } catch (TatamiException e) {
            close(known, volume, e);
            throw e;
        }
        CrashPoint.hit("service.volume.after-remembered");
        VolumeSet.ServedVolume served = new VolumeSet.ServedVolume(volume, path);
        parts.add(served);
        volumes.add(served);
        parts.changed();
        LOG.info("volume {} ({}) was added", path, volume.id());
    }

    private static void close(VolumePlaces known, Volume volume, TatamiException reason) {
        try {
            known.close(volume);
        } catch (TatamiException e) {
            reason.addSuppressed(e);
        }
    }

    private void drain(VolumePlaces known, String name, boolean drain) throws TatamiException {
        VolumeSet.ServedVolume served = served(known, name);
        if (served == null) {
            throw notFound(name);
        }
        Volume volume = served.volume();
        known.remembered().drained(known.normal(served.path()), volume.id(), drain);
        CrashPoint.hit("service.volume.before-drain");
        volume.closeToNew(drain);
        LOG.info("volume {} ({}) is {}", served.path(), volume.id(), drain ? "to be drained" : "no longer drained");
    }

    private void remove(VolumePlaces known, ChangeVolumeRequest request) throws TatamiException {
        String name = request.getVolume();
        VolumeSet.ServedVolume served = served(known, name);
        if (served != null) {
            remove(known, served, request.getGiveUp());
            return;
        }
        VolumeSet.FailedVolume missing = missing(known, name);
        if (missing != null) {
            giveUp(known, missing, request.getGiveUp());
            return;
        }
        String path = known.normal(name);
        boolean isDone = known.remembered().read().stream()
                .anyMatch(volume ->
                        volume.removed() && (volume.path().equals(path) || name.equals(String.valueOf(volume.id()))));
        if (!isDone) {
            throw notFound(name);
        }
    }

    private void remove(VolumePlaces known, VolumeSet.ServedVolume served, boolean giveUp) throws TatamiException {
        Volume volume = served.volume();
        if (volumes.volumes().size() == 1) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT,
                    served.path() + " is the only open volume of this block server; add another one first, or take the"
                            + " server out with 'tatami admin block drain', stop it and 'tatami admin block forget'");
        }
        requireKnown();
        boolean wasDrained = volume.isClosedToNew();
        volume.closeToNew(true);
        long blocks = volume.statistics().blocks();
        if (blocks > 0 && !giveUp) {
            volume.closeToNew(wasDrained);
            throw new TatamiException(
                    ErrorCode.IN_USE,
                    served.path() + " has " + blocks + " blocks; move them to the server's other volumes with"
                            + " 'tatami admin volume drain' and wait until 'tatami admin volume status' shows none,"
                            + " or lose them with --give-up");
        }
        // Where that fails, the next start may find it written: so the volume stays without new blocks.
        known.remembered().removed(known.normal(served.path()), volume.id());
        CrashPoint.hit("service.volume.before-removed");
        volumes.remove(served);
        parts.changed();
        parts.end(served, () -> known.close(volume));
        LOG.info("volume {} ({}) was removed", served.path(), volume.id());
    }

    /** Else the next start might share no volume with the server that the cluster knows. */
    private void requireKnown() throws TatamiException {
        if (!parts.areKnown()) {
            throw new TatamiException(
                    ErrorCode.BUSY,
                    "the cluster has not heard yet which volumes this block server has, by which it knows the server;"
                            + " ask again");
        }
    }

    private void giveUp(VolumePlaces known, VolumeSet.FailedVolume missing, boolean giveUp) throws TatamiException {
        if (!giveUp) {
            throw new TatamiException(
                    ErrorCode.IN_USE,
                    missing.path() + " is not open (" + missing.reason()
                            + "), and may have blocks; repair it and add it" + " again, or lose them with --give-up");
        }
        requireKnown();
        known.remembered().removed(known.normal(missing.path()), missing.id());
        volumes.giveUp(missing);
        parts.changed();
        LOG.warn("volume {} ({}) was given up", missing.path(), missing.id());
    }

    private VolumeSet.@Nullable ServedVolume served(VolumePlaces known, String name) {
        return volumes.volumes().stream()
                .filter(served ->
                        isNamed(known, name, served.path(), served.volume().id()))
                .findFirst()
                .orElse(null);
    }

    private VolumeSet.@Nullable FailedVolume missing(VolumePlaces known, String name) {
        return volumes.failed().stream()
                .filter(missing -> isNamed(known, name, missing.path(), missing.id()))
                .findFirst()
                .orElse(null);
    }

    private static boolean isNamed(VolumePlaces known, String name, String path, @Nullable UUID id) {
        return name.equals(String.valueOf(id)) || known.normal(name).equals(known.normal(path));
    }

    private TatamiException notFound(String name) {
        List<VolumeSet.VolumeState> states = volumes.states();
        return new TatamiException(
                ErrorCode.NOT_FOUND,
                "this block server has no volume " + name + "; its volumes are "
                        + states.stream()
                                .map(state -> state.path() + (state.id() == null ? "" : " (" + state.id() + ")"))
                                .collect(Collectors.joining(", ")));
    }
}
