package io.tatami.block.service.report;

import io.tatami.block.device.AccessTimes.Measure;
import io.tatami.block.device.SlowDevices;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.volumes.VolumeSet.ServedVolume;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports volumes that are much slower than the others of this server or of the cluster, or hang: once in the log when
 * that begins and when it ends, and to who asks. One thread looks; any may ask.
 */
final class VolumeWatch {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeWatch.class);

    private final Supplier<List<ServedVolume>> volumes;
    private final BlockServerMetrics metrics;
    private List<ServedVolume> watched = List.of();
    private SlowDevices devices = new SlowDevices();
    private volatile Map<Measure, Long> typicalNanos = Map.of();

    /** Of the volumes that are slow. */
    private volatile Map<ServedVolume, String> verdicts = Map.of();

    /** @param volumes those that are served when it is asked */
    VolumeWatch(Supplier<List<ServedVolume>> volumes, BlockServerMetrics metrics) {
        this.volumes = volumes;
        this.metrics = metrics;
    }

    /** What the volumes of the cluster take, from now on. */
    void compareWith(Map<Measure, Long> typicalOfClusterNanos) {
        typicalNanos = typicalOfClusterNanos;
    }

    /**
     * Compares the volumes as they are now; to be called every ten seconds or so. Begins anew where a volume was added
     * or removed.
     */
    void look() {
        List<ServedVolume> now = volumes.get();
        if (!now.equals(watched)) {
            watched = now;
            devices = new SlowDevices();
        }
        List<SlowDevices.Observation> observed = now.stream()
                .map(served -> SlowDevices.Observation.of(served.volume().accessTimes()))
                .toList();
        List<String> found = devices.look(observed, typicalNanos);
        Map<ServedVolume, String> before = verdicts;
        Map<ServedVolume, String> slow = new HashMap<>();
        for (int place = 0; place < found.size(); place++) {
            String verdict = found.get(place);
            ServedVolume served = now.get(place);
            if (!verdict.isEmpty()) {
                slow.put(served, verdict);
                if (!before.containsKey(served)) {
                    LOG.warn("volume {} is slow: {}; check its disk (dmesg, smartctl)", served.path(), verdict);
                }
            } else if (before.containsKey(served)) {
                LOG.warn("volume {} is no longer slow", served.path());
            }
        }
        verdicts = Map.copyOf(slow);
        metrics.slowVolumes(slow.size());
    }

    /** Why a volume is slow; empty where it is not. */
    String slowness(ServedVolume served) {
        return verdicts.getOrDefault(served, "");
    }
}
