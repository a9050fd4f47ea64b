package io.tatami.server.metrics;

import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.tatami.base.Clock;
import io.tatami.protocol.wire.BlockHealthCounts;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.protocol.wire.GroupStatusReply;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * What the groups that lead here know of the cluster. Each server tells of its own groups, so sums over all servers are
 * of the cluster; the leader of the namespace group alone tells of the block servers.
 */
public final class ClusterMetrics {
    /** Each question is a read of every group that leads here. */
    private static final Duration AGE_MAX = Duration.ofSeconds(30);

    private final PrometheusRegistry registry;
    private final Supplier<Known> known;

    /**
     * What a server knows at a moment.
     *
     * @param map empty where the namespace group does not lead here
     * @param groups all that lead here; empty where one has not answered
     * @param shards of these, with what they know of copies; empty where one has not answered
     */
    public record Known(
            Optional<ClusterMap> map,
            Optional<List<GroupStatusReply>> groups,
            Optional<List<CopiesStatusReply>> shards) {}

    private ClusterMetrics(PrometheusRegistry registry, Supplier<Known> known) {
        this.registry = registry;
        this.known = known;
    }

    /** @param known asked at each scrape; may wait a while */
    public static void watch(PrometheusRegistry registry, Supplier<Known> known, Clock clock) {
        ClusterMetrics metrics = new ClusterMetrics(registry, new RecentAnswer<>(known, AGE_MAX, clock));
        metrics.registerServers();
        metrics.registerNames();
        metrics.registerCopies();
    }

    private void registerServers() {
        GaugeWithCallback.builder()
                .name("tatami_cluster_block_servers")
                .help("Block servers by state, told by the leader of the namespace group.")
                .labelNames("state")
                .callback(new GuardedCallback<>(
                        "tatami_cluster_block_servers",
                        gauge -> known.get().map().ifPresent(map -> {
                            for (BlockServerInfo.State state : BlockServerInfo.State.values()) {
                                if (state != BlockServerInfo.State.UNRECOGNIZED) {
                                    gauge.call(count(map, state), state.name().toLowerCase(Locale.ROOT));
                                }
                            }
                        })))
                .register(registry);
        sum(
                "tatami_cluster_capacity_bytes",
                "Room for blocks of all block servers.",
                servers(BlockServerInfo::getCapacityBytes));
        sum(
                "tatami_cluster_used_bytes",
                "Room taken by blocks on all block servers.",
                servers(BlockServerInfo::getUsedBytes));
        sum(
                "tatami_cluster_free_bytes",
                "Room for more blocks on all block servers.",
                servers(BlockServerInfo::getFreeBytes));
    }

    private static long count(ClusterMap map, BlockServerInfo.State state) {
        return map.getBlockServerList().stream()
                .filter(server -> server.getState() == state)
                .count();
    }

    private void registerNames() {
        GaugeWithCallback.builder()
                .name("tatami_meta_silent")
                .help(
                        "1 where some group that leads here does not answer in time, and sums over its groups are not told.")
                .callback(new GuardedCallback<>(
                        "tatami_meta_silent",
                        gauge -> gauge.call(
                                known.get().groups().isEmpty()
                                                || known.get().shards().isEmpty()
                                        ? 1
                                        : 0)))
                .register(registry);
        sum("tatami_meta_files", "Files whose home leads here.", groups(GroupStatusReply::getFiles));
        sum(
                "tatami_meta_directories",
                "Directories, told by the namespace group.",
                groups(GroupStatusReply::getDirectories));
        sum(
                "tatami_meta_open_files",
                "Files whose home leads here and that are written to.",
                groups(GroupStatusReply::getLeases));
        sum(
                "tatami_meta_reclaimable_bytes",
                "Bytes of deleted blocks that wait to be reclaimed.",
                groups(GroupStatusReply::getPendingReclaimBytes));
        sum(
                "tatami_meta_outbox_messages",
                "Messages to other groups that wait to be acknowledged.",
                groups(GroupStatusReply::getPendingOutbox));
    }

    private void registerCopies() {
        GaugeWithCallback.builder()
                .name("tatami_blocks_waiting")
                .help(
                        "Blocks whose copies are to be looked at, by what they were found to be when they were last seen.")
                .labelNames("health")
                .callback(new GuardedCallback<>(
                        "tatami_blocks_waiting",
                        gauge -> known.get().shards().ifPresent(shards -> {
                            gauge.call(waiting(shards, BlockHealthCounts::getUnderReplicated), "under_replicated");
                            gauge.call(waiting(shards, BlockHealthCounts::getLastCopy), "last_copy");
                            gauge.call(waiting(shards, BlockHealthCounts::getMissing), "missing");
                            gauge.call(waiting(shards, BlockHealthCounts::getDamaged), "damaged");
                            gauge.call(waiting(shards, BlockHealthCounts::getUnknown), "unknown");
                            gauge.call(waiting(shards, BlockHealthCounts::getMisreplicated), "misreplicated");
                            gauge.call(waiting(shards, BlockHealthCounts::getOverReplicated), "over_replicated");
                        })))
                .register(registry);
        sum(
                "tatami_blocks_copies_lacking",
                "Good copies that blocks lack.",
                shards(shard -> total(shard.getWaitingList(), BlockHealthCounts::getCopiesLacking)));
        sum(
                "tatami_blocks_copies_intended",
                "Copies that are being made.",
                shards(CopiesStatusReply::getIntendedCopies));
        sum(
                "tatami_blocks_stuck",
                "Blocks that cannot go on, of those told.",
                shards(CopiesStatusReply::getStuckCount));
        sum(
                "tatami_blocks_braked_shards",
                "Shards that make no copies because too many block servers are silent.",
                shards(shard -> shard.getBrake().isEmpty() ? 0 : 1));
    }

    private static long waiting(List<CopiesStatusReply> shards, ToLongFunction<BlockHealthCounts> of) {
        return total(shards, shard -> total(shard.getWaitingList(), of));
    }

    /**
     * A gauge that has no value where {@code of} is empty, so that a group that does not answer is not told as zero.
     */
    private void sum(String name, String help, Function<Known, Optional<Long>> of) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .callback(new GuardedCallback<>(
                        name, gauge -> of.apply(known.get()).ifPresent(gauge::call)))
                .register(registry);
    }

    private static Function<Known, Optional<Long>> servers(ToLongFunction<BlockServerInfo> value) {
        return known -> known.map().map(map -> total(map.getBlockServerList(), value));
    }

    private static Function<Known, Optional<Long>> groups(ToLongFunction<GroupStatusReply> value) {
        return known -> known.groups().map(groups -> total(groups, value));
    }

    private static Function<Known, Optional<Long>> shards(ToLongFunction<CopiesStatusReply> value) {
        return known -> known.shards().map(shards -> total(shards, value));
    }

    private static <T> long total(List<T> parts, ToLongFunction<T> value) {
        return parts.stream().mapToLong(value).sum();
    }
}
