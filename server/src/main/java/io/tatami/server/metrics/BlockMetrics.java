package io.tatami.server.metrics;

import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Unit;
import io.tatami.base.Clock;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.CacheStatus;
import io.tatami.protocol.wire.VolumeStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a block server tells at a scrape: its counts, and its status, which is also what {@code tatami status} shows.
 * The label {@code volume} is a volume's path, so there are as many as the server has volumes.
 */
public final class BlockMetrics {
    private static final String VOLUME = "volume";
    private static final double MICROS_PER_SECOND = 1e6;
    private static final Duration AGE_MAX = Duration.ofSeconds(1);

    private final PrometheusRegistry registry;
    private final BlockServerMetrics counts;
    private final Supplier<BlockServerStatusReply> status;

    private BlockMetrics(
            PrometheusRegistry registry, BlockServerMetrics counts, Supplier<BlockServerStatusReply> status) {
        this.registry = registry;
        this.counts = counts;
        this.status = status;
    }

    /** Tells of a block server from now on. */
    public static void watch(
            PrometheusRegistry registry,
            BlockServerMetrics counts,
            Supplier<BlockServerStatusReply> status,
            Clock clock) {
        BlockMetrics metrics = new BlockMetrics(
                registry, counts, new RecentAnswer<>(() -> withOneOfEachPath(status.get()), AGE_MAX, clock));
        metrics.registerTraffic();
        metrics.registerCopies();
        metrics.registerRoom();
        metrics.registerHealth();
        metrics.registerAccessTimes();
        metrics.registerCache();
    }

    /** Where a disk was replaced, the volume that was there before counts, as it has stopped. */
    private static BlockServerStatusReply withOneOfEachPath(BlockServerStatusReply status) {
        Map<String, VolumeStatus> byPath = new LinkedHashMap<>();
        for (VolumeStatus volume : status.getVolumeList()) {
            byPath.merge(
                    volume.getPath(),
                    volume,
                    (first, second) -> first.getFailure().isEmpty() ? second : first);
        }
        return status.toBuilder().clearVolume().addAllVolume(byPath.values()).build();
    }

    private void registerTraffic() {
        CounterWithCallback.builder()
                .name("tatami_block_read_bytes")
                .help("Bytes sent to readers, by where they came from: a volume, a staged copy, or a volume although"
                        + " their staging was planned.")
                .unit(Unit.BYTES)
                .labelNames("origin")
                .callback(new GuardedCallback<>("tatami_block_read_bytes", counter -> {
                    long staged = counts.stagedReadBytes();
                    long late = counts.lateReadBytes();
                    counter.call(staged, "staged");
                    counter.call(late, "late");
                    counter.call(Math.max(0, counts.readBytes() - staged - late), VOLUME);
                }))
                .register(registry);
        counter(
                "tatami_block_written_bytes",
                "Bytes taken from writers.",
                Unit.BYTES,
                BlockServerMetrics::writtenBytes);
        gauge("tatami_block_read_streams", "Read streams that are open.", answer -> counts.readStreams());
        gauge("tatami_block_write_streams", "Write streams that are open.", answer -> counts.writeStreams());
        counter("tatami_block_credits", "Credits that shards took.", null, BlockServerMetrics::creditsGiven);
    }

    private void registerCopies() {
        counter("tatami_block_copies_made", "Copies pulled from other servers.", null, BlockServerMetrics::copiesMade);
        counter(
                "tatami_block_pulled_bytes",
                "Bytes pulled from other servers for copies.",
                Unit.BYTES,
                BlockServerMetrics::pulledBytes);
        gauge("tatami_block_pulls_running", "Copies that are being made.", BlockServerStatusReply::getPullsRunning);
        gauge("tatami_block_pulls_queued", "Copies that wait to be made.", BlockServerStatusReply::getPullsQueued);
    }

    private void registerRoom() {
        volumes("tatami_volume_capacity_bytes", "Room for blocks.", VolumeStatus::getCapacityBytes);
        volumes("tatami_volume_used_bytes", "Room taken by blocks.", VolumeStatus::getUsedBytes);
        volumes("tatami_volume_free_bytes", "Room for more blocks.", VolumeStatus::getFreeBytes);
        volumes(
                "tatami_volume_largest_free_extent_bytes",
                "Length of the largest free extent.",
                VolumeStatus::getLargestFreeExtentBytes);
        volumes("tatami_volume_blocks", "Blocks on the volume.", VolumeStatus::getBlocks);
        volumeCounter("tatami_volume_read_bytes", "Bytes read from the device.", VolumeStatus::getReadBytes);
        volumeCounter("tatami_volume_written_bytes", "Bytes written to the device.", VolumeStatus::getWrittenBytes);
    }

    private void registerHealth() {
        volumes("tatami_volume_stopped", "1 where the volume has stopped.", volume -> isSaid(volume.getFailure()));
        volumes("tatami_volume_slow", "1 where it is slow beside others.", volume -> isSaid(volume.getSlowness()));
        volumes("tatami_volume_draining", "1 where it is being drained.", volume -> volume.getDraining() ? 1 : 0);
        volumes("tatami_volume_damaged_chunks", "Chunks known to be damaged.", VolumeStatus::getDamagedChunks);
        volumes(
                "tatami_volume_index_damaged",
                "1 where superblock or index were found damaged.",
                volume -> isSaid(volume.getStructureDamage()));
    }

    private static int isSaid(String text) {
        return text.isEmpty() ? 0 : 1;
    }

    private void registerAccessTimes() {
        GaugeWithCallback.builder()
                .name("tatami_volume_access_median")
                .help("Median time of the device's accesses of the last minutes; large ones scaled to 4 MiB.")
                .unit(Unit.SECONDS)
                .labelNames(VOLUME, "access")
                .callback(new GuardedCallback<>(
                        "tatami_volume_access_median",
                        gauge -> status.get().getVolumeList().forEach(volume -> {
                            report(gauge, volume, "small_read", volume.getSmallReadMicros());
                            report(gauge, volume, "large_read", volume.getLargeReadMicros());
                            report(gauge, volume, "small_write", volume.getSmallWriteMicros());
                            report(gauge, volume, "large_write", volume.getLargeWriteMicros());
                        })))
                .register(registry);
    }

    private static void report(GaugeWithCallback.Callback gauge, VolumeStatus volume, String access, long micros) {
        if (micros > 0) {
            gauge.call(micros / MICROS_PER_SECOND, volume.getPath(), access);
        }
    }

    private void registerCache() {
        if (!status.get().hasCache()) {
            return;
        }
        cache("tatami_cache_capacity_bytes", "Room of the cache tier.", CacheStatus::getCapacityBytes);
        cache("tatami_cache_staged_bytes", "Bytes staged on the cache tier.", CacheStatus::getUsedBytes);
    }

    private void cache(String name, String help, ToLongFunction<CacheStatus> value) {
        gauge(name, help, answer -> value.applyAsLong(answer.getCache()));
    }

    private void gauge(String name, String help, ToDoubleFunction<BlockServerStatusReply> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(new GuardedCallback<>(name, gauge -> gauge.call(value.applyAsDouble(status.get()))))
                .register(registry);
    }

    private void counter(String name, String help, @Nullable Unit unit, ToLongFunction<BlockServerMetrics> value) {
        CounterWithCallback.Builder builder =
                CounterWithCallback.builder().name(name).help(help);
        if (unit != null) {
            builder.unit(unit);
        }
        builder.callback(new GuardedCallback<>(name, counter -> counter.call(value.applyAsLong(counts))))
                .register(registry);
    }

    private void volumes(String name, String help, ToDoubleFunction<VolumeStatus> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(VOLUME)
                .callback(new GuardedCallback<>(
                        name,
                        gauge -> status.get()
                                .getVolumeList()
                                .forEach(volume -> gauge.call(value.applyAsDouble(volume), volume.getPath()))))
                .register(registry);
    }

    private void volumeCounter(String name, String help, ToLongFunction<VolumeStatus> value) {
        CounterWithCallback.builder()
                .name(name)
                .help(help)
                .unit(Unit.BYTES)
                .labelNames(VOLUME)
                .callback(new GuardedCallback<>(
                        name,
                        counter -> status.get()
                                .getVolumeList()
                                .forEach(volume -> counter.call(value.applyAsLong(volume), volume.getPath()))))
                .register(registry);
    }
}
