package io.tatami.server.metrics;

import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import io.prometheus.metrics.model.snapshots.Unit;
import io.tatami.base.GroupId;
import io.tatami.meta.service.lead.GroupObserver;
import io.tatami.meta.service.replicate.ReplicaState;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * What the metadata groups of a server do. Batches are counted for all groups together, because a histogram for each of
 * 257 groups would be most of the page. Safe for use by many threads.
 */
public final class GroupMetrics implements GroupObserver {
    private static final double NANOS_PER_SECOND = 1e9;
    private static final String GROUP = "group";
    private static final double[] COMMIT_BOUNDS = {
        0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5
    };
    private static final double[] BATCH_BOUNDS = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024};

    private final Counter requests;
    private final Map<GroupId, CounterDataPoint> requestsOf = new ConcurrentHashMap<>();
    private final Histogram batches;
    private final Histogram decides;
    private final Histogram commits;

    public GroupMetrics(PrometheusRegistry registry) {
        requests = Counter.builder()
                .name("tatami_group_requests")
                .help("Requests that a group decided on its thread.")
                .labelNames(GROUP)
                .withoutExemplars()
                .register(registry);
        batches = histogram("tatami_group_batch_requests", "Requests that were made durable together.", BATCH_BOUNDS)
                .register(registry);
        decides = histogram("tatami_group_decide_duration", "Time in which a batch was decided.", COMMIT_BOUNDS)
                .unit(Unit.SECONDS)
                .register(registry);
        commits = histogram(
                        "tatami_group_commit_duration",
                        "Time in which a batch was made durable in the log and applied.",
                        COMMIT_BOUNDS)
                .unit(Unit.SECONDS)
                .register(registry);
    }

    private static Histogram.Builder histogram(String name, String help, double[] bounds) {
        Histogram.Builder builder =
                Histogram.builder().name(name).help(help).classicOnly().classicUpperBounds(bounds);
        builder.withoutExemplars();
        return builder;
    }

    @Override
    public void decided(GroupId group, int count, long decideNanos, long commitNanos) {
        requestsOf(group).inc(count);
        batches.observe(count);
        decides.observe(decideNanos / NANOS_PER_SECOND);
        commits.observe(commitNanos / NANOS_PER_SECOND);
    }

    private CounterDataPoint requestsOf(GroupId group) {
        CounterDataPoint known = requestsOf.get(group);
        return known != null ? known : requestsOf.computeIfAbsent(group, id -> requests.labelValues(id.toString()));
    }

    /** Tells of the replicas that a server holds from now on, by asking {@code replicas} at each scrape. */
    public static void watch(PrometheusRegistry registry, Supplier<List<ReplicaState>> replicas) {
        gauge(
                registry,
                "tatami_group_leading",
                "1 where this server leads the group.",
                replicas,
                state -> state.leads() ? 1 : 0);
        gauge(
                registry,
                "tatami_group_stopped",
                "1 where the replica here has stopped and decides nothing until it is opened again.",
                replicas,
                state -> state.failure().isEmpty() ? 0 : 1);
        gauge(
                registry,
                "tatami_group_queued_requests",
                "Requests that wait for the group's thread.",
                replicas,
                ReplicaState::queuedRequests);
        gauge(
                registry,
                "tatami_group_applied_index",
                "Number of the last log entry that the replica here has applied.",
                replicas,
                state -> state.appliedIndex().orElse(0));
        GaugeWithCallback.builder()
                .name("tatami_group_log")
                .help("Bytes on disk of the log of a group that leads here, as of the scrape before.")
                .unit(Unit.BYTES)
                .labelNames(GROUP)
                .callback(new GuardedCallback<>(
                        "tatami_group_log_bytes",
                        gauge -> replicas.get()
                                .forEach(state -> state.logBytes()
                                        .ifPresent(bytes ->
                                                gauge.call(bytes, state.group().toString())))))
                .register(registry);
    }

    private static void gauge(
            PrometheusRegistry registry,
            String name,
            String help,
            Supplier<List<ReplicaState>> replicas,
            ToDoubleFunction<ReplicaState> value) {
        GaugeWithCallback.builder()
                .name(name)
                .help(help)
                .labelNames(GROUP)
                .callback(new GuardedCallback<>(
                        name,
                        gauge -> replicas.get()
                                .forEach(state -> gauge.call(
                                        value.applyAsDouble(state),
                                        state.group().toString()))))
                .register(registry);
    }
}
