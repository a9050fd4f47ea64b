package io.tatami.block.service.moves;

import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.volumes.VolumeSet.ServedVolume;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeStatistics;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Which volumes blocks are moved between. Safe for use by many threads. */
final class MoveTargets {
    private final VolumeSet volumes;

    MoveTargets(VolumeSet volumes) {
        this.volumes = volumes;
    }

    /** Two volumes that differ in how full they are. */
    record Pair(ServedVolume fullest, ServedVolume emptiest) {
        /** From 0 to 1. */
        double difference() {
            return fullness(fullest.volume()) - fullness(emptiest.volume());
        }

        /** Whether the fullest is as full as the emptiest, or fuller, when so many bytes have been moved. */
        boolean staysInOrder(long bytes) {
            VolumeStatistics from = fullest.volume().statistics();
            VolumeStatistics to = emptiest.volume().statistics();
            return difference() >= (double) bytes / from.capacityBytes() + (double) bytes / to.capacityBytes();
        }
    }

    /** Used room of a volume as a part of all, from 0 to 1. */
    static double fullness(Volume volume) {
        VolumeStatistics statistics = volume.statistics();
        return (double) statistics.usedBytes() / Math.max(1, statistics.capacityBytes());
    }

    /** Whether a volume takes blocks now. */
    static boolean takes(Volume volume) {
        return volume.statistics().failure().isEmpty()
                && !volume.isClosedToNew()
                && !volume.accessTimes().isHanging();
    }

    /** Those that take blocks now. */
    List<ServedVolume> taking() {
        return volumes.volumes().stream()
                .filter(served -> takes(served.volume()))
                .toList();
    }

    /** The emptiest volume besides {@code from} that has room for blocks of so many bytes. */
    Optional<ServedVolume> best(Volume from, long longestBytes, long allBytes) {
        return taking().stream()
                .filter(served -> served.volume() != from
                        && served.volume().statistics().hasRoomForCopies(longestBytes, allBytes))
                .min(Comparator.comparingDouble(served -> fullness(served.volume())));
    }

    /** Empty where fewer than two volumes take blocks. */
    Optional<Pair> mostUnequal() {
        Comparator<ServedVolume> byFullness = Comparator.comparingDouble(served -> fullness(served.volume()));
        List<ServedVolume> taking = taking();
        return taking.size() < 2
                ? Optional.empty()
                : Optional.of(new Pair(
                        taking.stream().max(byFullness).orElseThrow(),
                        taking.stream().min(byFullness).orElseThrow()));
    }
}
