package io.tatami.benchmarks.meta;

import io.tatami.benchmarks.Progress;
import io.tatami.benchmarks.Results;
import io.tatami.benchmarks.RoundOptions;
import io.tatami.benchmarks.Rounds;
import io.tatami.benchmarks.peer.CpuQuota;
import io.tatami.benchmarks.peer.MetadataCluster;
import io.tatami.benchmarks.peer.Peer;
import io.tatami.benchmarks.peer.PeerOrder;
import io.tatami.benchmarks.peer.Peers;
import io.tatami.benchmarks.peer.Undo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;

/**
 * In each round, in random order, a new cluster for each number of servers. Every shard has a process of its own, and
 * the namespace group too, in every setting; each of them may use the same part of a core while it is measured, and the
 * clients have what is left of the machine. Servers are started and warmed up without a limit: Java compiles for
 * minutes otherwise.
 *
 * <p>A round counts where in each setting whoever does the work has used up its part: with creates every shard, with
 * mkdirs every shard or the namespace group. Else it was not they who were measured.
 */
final class ScalingRounds {
    static final List<MetaOperation> OPERATIONS = List.of(MetaOperation.CREATE_EMPTY, MetaOperation.MKDIRS);

    static final List<String> COLUMNS = List.of(
            "round",
            "servers",
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

    private static final List<String> WARM_UPS = List.of("/warm-1", "/warm-2", "/warm-3");
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

    /** What clients do in each setting; times in seconds. */
    record Load(List<MetaOperation> operations, int clients, int seconds, int warmUpSeconds, int operationsMax) {}

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
        undo.add(() -> FileUtil.fullyDelete(clientDirectory().toFile()));
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

    private Path clientDirectory() {
        return work.resolve("scaling-clients");
    }

    private void measure(int round, int servers) throws Exception {
        progress.tell("round %d: %d servers", round, servers);
        List<CpuQuota> quotas = new ArrayList<>();
        MetadataCluster.Shape shape = new MetadataCluster.Shape(servers, servers, servers);
        Path directory = work.resolve("scaling-" + servers);
        try (Peer cluster = Peers.inTurn(
                        directory,
                        undo,
                        () -> MetadataCluster.start(directory, shape, (number, process) -> {
                            quotas.add(quota(number));
                            quotas.get(number).add(process);
                        }));
                WorkerPool pool = new WorkerPool(cluster, load.clients(), clientDirectory())) {
            for (MetaOperation operation : load.operations()) {
                makeDirectories(cluster, root(operation));
                for (String part : WARM_UPS) {
                    run(pool, operation, part, warmUpPartSeconds(servers));
                }
            }
            for (CpuQuota quota : quotas) {
                quota.limit(options.cores, options.periodMicros);
            }
            for (MetaOperation operation : load.operations()) {
                run(pool, operation, SETTLING, options.settleSeconds);
                List<CpuQuota.Usage> before = usages(quotas);
                WorkerPool.Outcome outcome = run(pool, operation, MEASURED, load.seconds());
                List<CpuQuota.Usage> used = new ArrayList<>();
                for (int i = 0; i < quotas.size(); i++) {
                    used.add(quotas.get(i).usage().since(before.get(i)));
                }
                record(round, servers, operation, outcome, used);
            }
            for (CpuQuota quota : quotas) {
                quota.unlimit();
            }
        } finally {
            for (CpuQuota quota : quotas) {
                quota.close();
            }
        }
    }

    /**
     * The more servers there are, the fewer operations each gets of what the clients can do: all are to get as many.
     */
    private int warmUpPartSeconds(int servers) {
        return (load.warmUpSeconds() * servers + WARM_UPS.size() - 1) / WARM_UPS.size();
    }

    /** Also where this program is interrupted; the processes are gone by then, or go with it. */
    private CpuQuota quota(int number) throws IOException {
        CpuQuota quota = new CpuQuota("bench-" + number);
        undo.add(quota::close);
        return quota;
    }

    private WorkerPool.Outcome run(WorkerPool pool, MetaOperation operation, String part, int seconds)
            throws IOException {
        int each = Math.max(1, load.operationsMax() / load.clients());
        return pool.run(operation, root(operation) + part, seconds, each, true);
    }

    private static String root(MetaOperation operation) {
        return "/bench/" + operation;
    }

    private static void makeDirectories(Peer cluster, String root) throws IOException {
        try (FileSystem fs =
                FileSystem.newInstance(FileSystem.getDefaultUri(cluster.configuration()), cluster.configuration())) {
            for (String part : WARM_UPS) {
                fs.mkdirs(new org.apache.hadoop.fs.Path(root + part));
            }
            fs.mkdirs(new org.apache.hadoop.fs.Path(root + SETTLING));
            fs.mkdirs(new org.apache.hadoop.fs.Path(root + MEASURED));
        }
    }

    private static List<CpuQuota.Usage> usages(List<CpuQuota> quotas) throws IOException {
        List<CpuQuota.Usage> usages = new ArrayList<>();
        for (CpuQuota quota : quotas) {
            usages.add(quota.usage());
        }
        return usages;
    }

    /** @param used by the namespace group's process first */
    private void record(
            int round, int servers, MetaOperation operation, WorkerPool.Outcome outcome, List<CpuQuota.Usage> used) {
        List<CpuQuota.Usage> shards = used.subList(1, used.size());
        double rate = outcome.operations() / outcome.seconds();
        double shardMicros =
                shards.stream().mapToLong(CpuQuota.Usage::usedNanos).sum() / 1e3 / outcome.operations();
        double namespaceMicros = used.get(0).usedNanos() / 1e3 / outcome.operations();
        double shardUse = shards.stream()
                .mapToDouble(shard -> quotaUsed(shard, outcome))
                .min()
                .orElse(0);
        double namespaceUse = quotaUsed(used.get(0), outcome);
        results.row(
                round,
                servers,
                load.clients(),
                operation,
                outcome.operations(),
                String.format("%.3f", outcome.seconds()),
                String.format("%.0f", rate),
                String.format("%.1f", outcome.clientCpuSeconds() * 1e6 / outcome.operations()),
                String.format("%.1f", shardMicros),
                String.format("%.1f", namespaceMicros),
                String.format("%.3f", shardUse),
                String.format("%.3f", namespaceUse),
                periods(shards),
                periods(used.subList(0, 1)));
        figures.put(rate(operation, servers), rate);
        figures.put(shardMicros(operation, servers), shardMicros);
        figures.put(namespaceMicros(operation, servers), namespaceMicros);
        boolean busy = shardUse >= BUSY || (operation == MetaOperation.MKDIRS && namespaceUse >= BUSY);
        if (!busy) {
            roundCounts = false;
            results.remark(String.format(
                    "round %d, %d servers, %s: some server used %.2f of its part of a core, the namespace group %.2f",
                    round, servers, operation, shardUse, namespaceUse));
        }
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
