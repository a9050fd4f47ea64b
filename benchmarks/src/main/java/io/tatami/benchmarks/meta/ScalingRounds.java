package io.tatami.benchmarks.meta;

import io.tatami.benchmarks.Progress;
import io.tatami.benchmarks.Results;
import io.tatami.benchmarks.RoundOptions;
import io.tatami.benchmarks.Rounds;
import io.tatami.benchmarks.peer.CpuQuota;
import io.tatami.benchmarks.peer.PeerOrder;
import io.tatami.benchmarks.peer.Undo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * In each round, in random order, each number of servers. Every shard has a process of its own, and the namespace group
 * too, in every setting; each of them may use the same part of a core while it is measured, and the clients have what
 * is left of the machine.
 *
 * <p>There are always as many servers and clients at work: the greatest number of servers is one cluster, half of it
 * two, and one server as many clusters as that has. What is compared is what one of them does. Processes take the
 * processors' caches from each other, so that on one small machine the same work costs a server more CPU time the more
 * others there are; on machines of their own it would not.
 *
 * <p>Servers are started and warmed up without a limit: Java compiles for minutes otherwise. After each part of the
 * warm-up they work under the limit for a while and are let free again: there, batches are other ones, code that was
 * compiled for those of before is thrown away, and what takes its place would be compiled while the servers are
 * measured.
 *
 * <p>A round counts where in each setting whoever does the work has used up its part: with creates every shard, with
 * mkdirs every shard or the namespace group. Else it was not they who were measured.
 */
final class ScalingRounds {
    static final List<MetaOperation> OPERATIONS = List.of(MetaOperation.CREATE_EMPTY, MetaOperation.MKDIRS);

    static final List<String> COLUMNS = List.of(
            "round",
            "servers",
            "cluster",
            "clients",
            "operation",
            "operations",
            "seconds",
            "per_second",
            "client_cpu_us_per_operation",
            "shard_cpu_us_per_operation",
            "namespace_cpu_us_per_operation",
            "least_shard_quota_used",
            "namespace_quota_used",
            "shard_throttled_periods",
            "namespace_throttled_periods");

    /** Of its quota that a server must have used to count as busy all the time. */
    private static final double BUSY = 0.9;

    private static final String SETTLING = "/settle";
    private static final String MEASURED = "/run";

    private final ScalingOptions options;
    private final RoundOptions rounds;
    private final Load load;
    private final Path work;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();
    private final Progress progress = new Progress();
    private boolean roundCounts;

    /**
     * What clients do in each setting; times in seconds.
     *
     * @param operationsMax of all clients of a cluster
     */
    record Load(List<MetaOperation> operations, int seconds, int warmUpSeconds, int operationsMax) {}

    ScalingRounds(ScalingOptions options, RoundOptions rounds, Load load, Path work, Undo undo, Results results) {
        this.options = options;
        this.rounds = rounds;
        this.load = load;
        this.work = work;
        this.undo = undo;
        this.results = results;
    }

    static String rate(MetaOperation operation, int servers) {
        return operation + " x" + servers + " servers per second";
    }

    static String shardMicros(MetaOperation operation, int servers) {
        return operation + " x" + servers + " servers, shards' CPU us each";
    }

    static String namespaceMicros(MetaOperation operation, int servers) {
        return operation + " x" + servers + " servers, namespace group's CPU us each";
    }

    /** The figures of the rounds that count. */
    Rounds run() throws Exception {
        PeerOrder order =
                new PeerOrder(options.servers.stream().map(String::valueOf).toList(), rounds.random());
        for (int round = 1; round <= rounds.rounds(); round++) {
            roundCounts = true;
            for (String servers : order.next()) {
                measure(round, Integer.parseInt(servers));
            }
            if (roundCounts) {
                figures.keep();
            } else {
                figures.leaveOut();
                results.remark("round " + round + " is left out: see above");
            }
        }
        return figures;
    }

    private void measure(int round, int servers) throws Exception {
        int count = Collections.max(options.servers) / servers;
        progress.tell("round %d: %d servers", round, servers);
        List<ScalingCluster> clusters = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                clusters.add(new ScalingCluster("scaling-" + i, servers, clients(servers), work, undo));
            }
            for (MetaOperation operation : load.operations()) {
                for (ScalingCluster cluster : clusters) {
                    cluster.makeDirectories(directories(operation));
                }
                for (String part : WarmUp.PARTS) {
                    run(clusters, operation, part, WarmUp.partOf(load.warmUpSeconds()));
                    limit(clusters);
                    run(clusters, operation, part + SETTLING, options.settleSeconds);
                    for (ScalingCluster cluster : clusters) {
                        cluster.unlimit();
                    }
                }
            }
            limit(clusters);
            for (MetaOperation operation : load.operations()) {
                run(clusters, operation, SETTLING, options.settleSeconds);
                record(round, servers, operation, run(clusters, operation, MEASURED, load.seconds()));
            }
        } finally {
            for (ScalingCluster cluster : clusters) {
                cluster.close();
            }
        }
    }

    private int clients(int servers) {
        return options.clientsEach * servers;
    }

    private void limit(List<ScalingCluster> clusters) throws IOException {
        for (ScalingCluster cluster : clusters) {
            cluster.limit(options.cores, options.periodMicros);
        }
    }

    private List<ScalingCluster.Work> run(
            List<ScalingCluster> clusters, MetaOperation operation, String part, int seconds) throws IOException {
        for (ScalingCluster cluster : clusters) {
            cluster.begin(operation, root(operation) + part, seconds, load.operationsMax());
        }
        List<ScalingCluster.Work> works = new ArrayList<>();
        for (ScalingCluster cluster : clusters) {
            works.add(cluster.end());
        }
        return works;
    }

    private static String root(MetaOperation operation) {
        return "/bench/" + operation;
    }

    private static List<String> directories(MetaOperation operation) {
        List<String> directories = new ArrayList<>(List.of(root(operation) + SETTLING, root(operation) + MEASURED));
        WarmUp.PARTS.forEach(part -> directories.add(root(operation) + part + SETTLING));
        return directories;
    }

    private void record(int round, int servers, MetaOperation operation, List<ScalingCluster.Work> works) {
        long operations = 0;
        double rates = 0;
        long shardNanos = 0;
        long namespaceNanos = 0;
        for (int i = 0; i < works.size(); i++) {
            ScalingCluster.Work work = works.get(i);
            operations += work.outcome().operations();
            rates += work.perSecond();
            shardNanos += nanos(work.shards());
            namespaceNanos += work.namespace().usedNanos();
            record(round, servers, i + 1, operation, work);
        }
        figures.put(rate(operation, servers), rates / works.size());
        figures.put(shardMicros(operation, servers), shardNanos / 1e3 / operations);
        figures.put(namespaceMicros(operation, servers), namespaceNanos / 1e3 / operations);
    }

    private void record(int round, int servers, int cluster, MetaOperation operation, ScalingCluster.Work work) {
        WorkerPool.Outcome outcome = work.outcome();
        double shardUse = work.shards().stream()
                .mapToDouble(shard -> quotaUsed(shard, outcome))
                .min()
                .orElse(0);
        double namespaceUse = quotaUsed(work.namespace(), outcome);
        results.row(
                round,
                servers,
                cluster,
                clients(servers),
                operation,
                outcome.operations(),
                String.format("%.3f", outcome.seconds()),
                String.format("%.0f", work.perSecond()),
                String.format("%.1f", outcome.clientCpuSeconds() * 1e6 / outcome.operations()),
                String.format("%.1f", nanos(work.shards()) / 1e3 / outcome.operations()),
                String.format("%.1f", work.namespace().usedNanos() / 1e3 / outcome.operations()),
                String.format("%.3f", shardUse),
                String.format("%.3f", namespaceUse),
                periods(work.shards()),
                periods(List.of(work.namespace())));
        boolean busy = shardUse >= BUSY || (operation == MetaOperation.MKDIRS && namespaceUse >= BUSY);
        if (!busy) {
            roundCounts = false;
            results.remark(String.format(
                    "round %d, %d servers, %s: some server used %.2f of its part of a core, the namespace group %.2f",
                    round, servers, operation, shardUse, namespaceUse));
        }
    }

    private static long nanos(List<CpuQuota.Usage> used) {
        return used.stream().mapToLong(CpuQuota.Usage::usedNanos).sum();
    }

    private double quotaUsed(CpuQuota.Usage usage, WorkerPool.Outcome outcome) {
        return usage.usedNanos() / 1e9 / outcome.seconds() / options.cores;
    }

    /** Those in which the quota was used up, of all in which there was something to do. */
    private static String periods(List<CpuQuota.Usage> used) {
        return used.stream().mapToLong(CpuQuota.Usage::throttledPeriods).sum() + "/"
                + used.stream().mapToLong(CpuQuota.Usage::periods).sum();
    }
}
