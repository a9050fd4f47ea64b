package io.tatami.server.status;

import io.tatami.server.status.StatusReport.ServerState;
import io.tatami.server.status.StatusReport.VolumeState;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/**
 * What is wrong with the volumes and the cache tiers of block servers.
 *
 * @param problems takes what is found
 */
record VolumeProblems(StatusReport report, Problems problems) {
    void add() {
        addVolumes();
        addDrains();
        addCaches();
    }

    private void addVolumes() {
        problems.fail(
                "volumes have stopped",
                volumes(
                        volume -> !volume.status().getFailure().isEmpty(),
                        (place, volume) -> place + " (" + volume.status().getFailure() + ")"),
                "see tatami admin volume status SERVER; replace the disk, or give the volume up: tatami admin volume"
                        + " remove SERVER VOLUME --give-up");
        problems.fail(
                "indexes of volumes are damaged",
                volumes(
                        volume -> !volume.status().getStructureDamage().isEmpty(),
                        (place, volume) -> place + " (" + volume.status().getStructureDamage() + ")"),
                "move the blocks away: tatami admin volume drain SERVER VOLUME; then tatami admin volume remove SERVER"
                        + " VOLUME");
        problems.warn(
                "volumes have damaged chunks",
                volumes(
                        volume -> volume.status().getDamagedChunks() > 0,
                        (place, volume) -> place + " (" + volume.status().getDamagedChunks() + ")"),
                "see whether files are damaged: tatami fsck; take out a disk where it goes on: tatami admin volume drain"
                        + " SERVER VOLUME");
        problems.warn(
                "volumes are slow",
                volumes(
                        volume -> !volume.slowness().isEmpty(),
                        (place, volume) -> place + " (" + volume.slowness() + ")"),
                "see the disk (smartctl -a DEVICE); take it out: tatami admin volume drain SERVER VOLUME");
    }

    private void addDrains() {
        problems.warn(
                "drains of volumes wait",
                volumes(
                        volume -> volume.status().getDraining()
                                && !volume.status().getDrainWaitsFor().isEmpty(),
                        (place, volume) -> place + " (" + volume.status().getDrainWaitsFor() + ")"),
                "do what the reason names, or end the drain: tatami admin volume drain SERVER VOLUME --undo");
    }

    private List<String> volumes(Predicate<VolumeState> isMeant, BiFunction<String, VolumeState, String> text) {
        List<String> found = new ArrayList<>();
        for (ServerState server : report.servers()) {
            for (VolumeState volume : server.volumes()) {
                if (isMeant.test(volume)) {
                    String place = volume.status().getPath() + " of server "
                            + server.info().getServerId();
                    found.add(text.apply(place, volume));
                }
            }
        }
        return found;
    }

    private void addCaches() {
        List<String> givenUp = new ArrayList<>();
        for (ServerState server : report.servers()) {
            if (server.status() != null
                    && !server.status().getCache().getFailure().isEmpty()) {
                givenUp.add("server " + server.info().getServerId() + " ("
                        + server.status().getCache().getFailure() + ")");
            }
        }
        problems.warn(
                "cache tiers were given up",
                givenUp,
                "replace the device and start the server again: tatami stop --data DIR, tatami start block --data DIR"
                        + " --cache PATH …");
    }
}
