package io.tatami.block.service.report;

import io.tatami.block.device.AccessTimes.Measure;
import io.tatami.block.device.SlowDevices;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.volumes.VolumeSet.ServedVolume;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports volumes that are much slower than the others of this server or of the cluster, or hang: once in the log when
 * that begins and when it ends, and to who asks. One thread looks; any may ask.
 */
final class VolumeWatch {
    private static final Logger LOG = LoggerFactory.getLogger(VolumeWatch.class);

    private final List<ServedVolume> volumes;
    private final BlockServerMetrics metrics;
    private final SlowDevices devices = new SlowDevices();
    private volatile Map<Measure, Long> typicalNanos = Map.of();
    private volatile List<String> verdicts;

    VolumeWatch(List<ServedVolume> volumes, BlockServerMetrics metrics) {
        this.volumes = volumes;
        this.metrics = metrics;
        this.verdicts = Collections.nCopies(volumes.size(), "");
    }

    /** What the volumes of the cluster take, from now on. */
    void compareWith(Map<Measure, Long> typicalOfClusterNanos) {
        typicalNanos = typicalOfClusterNanos;
    }

    /** Compares the volumes as they are now; to be called every ten seconds or so. */
    void look() {
        List<String> before = verdicts;
        List<SlowDevices.Observation> observed = volumes.stream()
                .map(served -> SlowDevices.Observation.of(served.volume().accessTimes()))
                .toList();
        List<String> now = devices.look(observed, typicalNanos);
        verdicts = now;
        int slow = 0;
        for (int volume = 0; volume < now.size(); volume++) {
            String path = volumes.get(volume).path();
            boolean isSlow = !now.get(volume).isEmpty();
            boolean wasSlow = !before.get(volume).isEmpty();
            if (isSlow && !wasSlow) {
                LOG.warn("volume {} is slow: {}; check its disk (dmesg, smartctl)", path, now.get(volume));
            } else if (wasSlow && !isSlow) {
                LOG.warn("volume {} is no longer slow", path);
            }
            slow += isSlow ? 1 : 0;
        }
        metrics.slowVolumes(slow);
    }

    /** Why the volume at a place of the list is slow; empty where it is not. */
    String slowness(int volume) {
        return verdicts.get(volume);
    }
}
