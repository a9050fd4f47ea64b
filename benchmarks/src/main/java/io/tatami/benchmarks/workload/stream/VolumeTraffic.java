package io.tatami.benchmarks.workload.stream;

import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.TatamiVolumes;
import io.tatami.protocol.wire.VolumeStatus;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** What the devices of a Tatami's volumes read and wrote since this began; nothing for other peers. */
final class VolumeTraffic {
    private final Peer peer;
    private final List<VolumeStatus> before;

    private VolumeTraffic(Peer peer) throws IOException {
        this.peer = peer;
        this.before = TatamiVolumes.of(peer);
    }

    static VolumeTraffic begin(Peer peer) throws IOException {
        return new VolumeTraffic(peer);
    }

    /** @param seconds in which it was */
    Rates end(double seconds) throws IOException {
        List<VolumeStatus> after = TatamiVolumes.of(peer);
        List<Rate> rates = new ArrayList<>();
        for (int place = 0; place < after.size(); place++) {
            rates.add(new Rate(
                    (after.get(place).getReadBytes() - before.get(place).getReadBytes()) / 1e6 / seconds,
                    (after.get(place).getWrittenBytes() - before.get(place).getWrittenBytes()) / 1e6 / seconds));
        }
        return new Rates(rates);
    }

    /** MB/s of one volume's device. */
    record Rate(double read, double write) {
        double both() {
            return read + write;
        }
    }

    /** Of all volumes, in the order in which the server has them. */
    record Rates(List<Rate> rates) {
        int volumes() {
            return rates.size();
        }

        /** For a table: {@code 412/398}. */
        String read() {
            return text(Rate::read);
        }

        String write() {
            return text(Rate::write);
        }

        /** What the volume with the least traffic had, of what volumes had on average: 1 where all had the same. */
        double leastShare() {
            double mean = rates.stream().mapToDouble(Rate::both).average().orElse(0);
            double least = rates.stream().mapToDouble(Rate::both).min().orElse(0);
            return mean == 0 ? 0 : least / mean;
        }

        private String text(ToDoubleFunction<Rate> what) {
            return rates.stream()
                    .map(rate -> String.format("%.0f", what.applyAsDouble(rate)))
                    .collect(Collectors.joining("/"));
        }
    }
}
