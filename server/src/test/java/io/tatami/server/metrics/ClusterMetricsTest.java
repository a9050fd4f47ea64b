package io.tatami.server.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Label;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.tatami.base.ManualClock;
import io.tatami.protocol.wire.BlockHealthCounts;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.StuckBlock;
import io.tatami.server.metrics.ClusterMetrics.Known;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The gauges of the cluster, out of answers of groups that lead here. */
class ClusterMetricsTest {
    private static final ClusterMap MAP = ClusterMap.newBuilder()
            .addBlockServer(server(State.ACTIVE, 100, 30))
            .addBlockServer(server(State.ACTIVE, 200, 50))
            .addBlockServer(server(State.DEAD, 400, 70))
            .build();
    private static final List<GroupStatusReply> GROUPS = List.of(
            GroupStatusReply.newBuilder().setDirectories(5).setPendingOutbox(1).build(),
            GroupStatusReply.newBuilder()
                    .setFiles(7)
                    .setLeases(2)
                    .setPendingReclaimBytes(1_000)
                    .setPendingOutbox(2)
                    .build(),
            GroupStatusReply.newBuilder()
                    .setFiles(11)
                    .setLeases(1)
                    .setPendingReclaimBytes(500)
                    .build());
    private static final List<CopiesStatusReply> SHARDS = List.of(
            CopiesStatusReply.newBuilder()
                    .addWaiting(BlockHealthCounts.newBuilder()
                            .setUnderReplicated(2)
                            .setLastCopy(2)
                            .setCopiesLacking(4)
                            .setMissing(1))
                    .addWaiting(BlockHealthCounts.newBuilder()
                            .setUnderReplicated(3)
                            .setCopiesLacking(3)
                            .setDamaged(6))
                    .setIntendedCopies(8)
                    .setBrake("too many block servers are silent")
                    .build(),
            CopiesStatusReply.newBuilder()
                    .addWaiting(BlockHealthCounts.newBuilder()
                            .setUnderReplicated(10)
                            .setCopiesLacking(10)
                            .setUnknown(12)
                            .setMisreplicated(13)
                            .setOverReplicated(14))
                    .setIntendedCopies(1)
                    .addStuck(StuckBlock.newBuilder().setBlockId(9))
                    .build());
    private static final Map<String, Double> OF_SERVERS = Map.ofEntries(
            Map.entry("tatami_cluster_block_servers{active}", 2.0),
            Map.entry("tatami_cluster_block_servers{dead}", 1.0),
            Map.entry("tatami_cluster_capacity_bytes", 700.0),
            Map.entry("tatami_cluster_used_bytes", 150.0),
            Map.entry("tatami_cluster_free_bytes", 550.0));
    private static final Map<String, Double> OF_NAMES = Map.of(
            "tatami_meta_files", 18.0,
            "tatami_meta_directories", 5.0,
            "tatami_meta_open_files", 3.0,
            "tatami_meta_reclaimable_bytes", 1_500.0,
            "tatami_meta_outbox_messages", 3.0);
    private static final Map<String, Double> OF_COPIES = Map.ofEntries(
            Map.entry("tatami_blocks_waiting{under_replicated}", 15.0),
            Map.entry("tatami_blocks_waiting{last_copy}", 2.0),
            Map.entry("tatami_blocks_waiting{missing}", 1.0),
            Map.entry("tatami_blocks_waiting{damaged}", 6.0),
            Map.entry("tatami_blocks_waiting{unknown}", 12.0),
            Map.entry("tatami_blocks_waiting{misreplicated}", 13.0),
            Map.entry("tatami_blocks_waiting{over_replicated}", 14.0),
            Map.entry("tatami_blocks_copies_lacking", 17.0),
            Map.entry("tatami_blocks_copies_intended", 9.0),
            Map.entry("tatami_blocks_stuck", 1.0),
            Map.entry("tatami_blocks_braked_shards", 1.0));

    private final ManualClock clock = new ManualClock();
    private final PrometheusRegistry registry = new PrometheusRegistry();
    private Known known = new Known(Optional.of(MAP), Optional.of(GROUPS), Optional.of(SHARDS));

    private static BlockServerInfo server(State state, long capacityBytes, long usedBytes) {
        return BlockServerInfo.newBuilder()
                .setState(state)
                .setCapacityBytes(capacityBytes)
                .setUsedBytes(usedBytes)
                .setFreeBytes(capacityBytes - usedBytes)
                .build();
    }

    /** All gauges that have a value, by their names with their label; of the servers by state, those that are some. */
    private Map<String, Double> gauges() {
        Map<String, Double> values = new TreeMap<>();
        for (MetricSnapshot metric : registry.scrape()) {
            for (GaugeSnapshot.GaugeDataPointSnapshot point : ((GaugeSnapshot) metric).getDataPoints()) {
                List<String> labels =
                        point.getLabels().stream().map(Label::getValue).toList();
                String name = metric.getMetadata().getName() + (labels.isEmpty() ? "" : "{" + labels.get(0) + "}");
                if (point.getValue() > 0 || !name.startsWith("tatami_cluster_block_servers{")) {
                    values.put(name, point.getValue());
                }
            }
        }
        return values;
    }

    @SafeVarargs
    private static Map<String, Double> all(double silent, Map<String, Double>... parts) {
        Map<String, Double> all = new TreeMap<>();
        all.put("tatami_meta_silent", silent);
        for (Map<String, Double> part : parts) {
            all.putAll(part);
        }
        return all;
    }

    @Test
    void sumsAreOfAllThatLeadsHere() {
        ClusterMetrics.watch(registry, () -> known, clock);
        assertEquals(all(0, OF_SERVERS, OF_NAMES, OF_COPIES), gauges());
    }

    @Test
    void whatDoesNotAnswerHasNoValueInsteadOfZero() {
        ClusterMetrics.watch(registry, () -> known, clock);
        known = new Known(Optional.empty(), Optional.of(GROUPS), Optional.of(SHARDS));
        assertEquals(all(0, OF_NAMES, OF_COPIES), gauges(), "the namespace group leads elsewhere");
        ask(new Known(Optional.of(MAP), Optional.empty(), Optional.of(SHARDS)));
        assertEquals(all(1, OF_SERVERS, OF_COPIES), gauges(), "a group is silent");
        ask(new Known(Optional.of(MAP), Optional.of(GROUPS), Optional.empty()));
        assertEquals(all(1, OF_SERVERS, OF_NAMES), gauges(), "a shard tells nothing of copies");
        ask(new Known(Optional.empty(), Optional.empty(), Optional.empty()));
        assertEquals(all(1), gauges(), "all are silent");
    }

    @Test
    void aServerThatLeadsNothingTellsZeroOfWhatItLeads() {
        known = new Known(Optional.empty(), Optional.of(List.of()), Optional.of(List.of()));
        ClusterMetrics.watch(registry, () -> known, clock);
        Map<String, Double> zeros = new TreeMap<>(all(0, OF_NAMES, OF_COPIES));
        zeros.replaceAll((name, value) -> 0.0);
        assertEquals(zeros, gauges());
    }

    /** An answer is old enough after a minute to be asked for again. */
    private void ask(Known next) {
        known = next;
        clock.advance(Duration.ofMinutes(1));
    }
}
