package io.tatami.benchmarks.workload.meta;

import io.tatami.benchmarks.harness.host.CpuQuota;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.PeerOrder;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * In each round the servers of every setting, each with another number of servers to a cluster, are started and warmed
 * up; then they take short turns in random order, as the machine's speed changes within minutes by as much as is asked
 * about. The clusters that have no turn do nothing. Every shard has a process of its own, and the namespace group too,
 * in every setting; each of them may use the same part of a core while it is measured, and the clients have what is
 * left of the machine.
 *
 * <p>There are always as many servers and clients at work: the greatest number of servers is one cluster, half of it
 * two, and one server as many clusters as that has. What is compared is what one of them does. Processes take the
 * processors' caches from each other, so that on one small machine the same work costs a server more CPU time the more
 * others there are; on machines of their own it would not. For the same reason every server's clients are spread over
 * all client JVMs of its setting ({@link ScalingSetting}), however many clusters they belong to.
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
            "turn",
            "servers",
            "clusters",
            "clients_of_cluster",
            "operation",
            "operations",
            "seconds",
            "per_second_of_cluster",
            "client_cpu_us_per_operation",
            "shard_cpu_us_per_operation",
            "namespace_cpu_us_per_operation",
            "least_shard_quota_used",
            "least_namespace_quota_used",
            "shard_throttled_periods",
            "namespace_throttled_periods");

    /** Of its quota that a server must have used to count as busy all the time. */
    private static final double BUSY = 0.9;

    private static final String SETTLING = "/settle";

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
        RoundTurns turns = results.turns(rounds.rounds(), 1);
        for (int round = 1; round <= rounds.rounds(); round++) {
            turns.next();
            roundCounts = true;
            measure(round, order);
            if (roundCounts) {
                figures.keep();
            } else {
                figures.leaveOut();
                results.remark("round " + round + " is left out: see above");
            }
        }
        return figures;
    }

    private void measure(int round, PeerOrder order) throws Exception {
        Map<String, ScalingSetting> settings = new TreeMap<>();
        try {
            for (String name : order.next()) {
                int servers = Integer.parseInt(name);
                progress.tell("round %d: %d servers start", round, servers);
                ScalingSetting setting = new ScalingSetting(servers, options.clientsEach);
                settings.put(name, setting);
                setting.start(Collections.max(options.servers) / servers, work, undo);
                warmUp(setting);
            }
            for (MetaOperation operation : load.operations()) {
                takeTurns(round, operation, settings, order);
            }
        } finally {
            for (ScalingSetting setting : settings.values()) {
                setting.close();
            }
        }
    }

    /** Leaves the setting under its limits. */
    private void warmUp(ScalingSetting setting) throws IOException {
        for (MetaOperation operation : load.operations()) {
            setting.makeDirectories(directories(operation));
            for (String part : WarmUp.PARTS) {
                setting.unlimit();
                run(setting, operation, part, WarmUp.partOf(load.warmUpSeconds()));
                setting.limit(options.cores, options.periodMicros);
                run(setting, operation, part + SETTLING, options.settleSeconds);
            }
        }
    }

    private void takeTurns(int round, MetaOperation operation, Map<String, ScalingSetting> settings, PeerOrder order)
            throws IOException {
        Map<ScalingSetting, ScalingSetting.Work> works = new LinkedHashMap<>();
        for (int turn = 1; turn <= options.turns; turn++) {
            progress.tell("round %d: %s, turn %d of %d", round, operation, turn, options.turns);
            for (String name : order.next()) {
                ScalingSetting setting = Objects.requireNonNull(settings.get(name));
                ScalingSetting.Work done = run(setting, operation, turn(turn), secondsOfTurn());
                row(round, turn, setting, operation, done);
                works.merge(setting, done, ScalingSetting.Work::plus);
            }
        }
        works.forEach((setting, work) -> record(round, setting.servers(), operation, work));
    }

    private int secondsOfTurn() {
        return (load.seconds() + options.turns - 1) / options.turns;
    }

    private ScalingSetting.Work run(ScalingSetting setting, MetaOperation operation, String part, int seconds)
            throws IOException {
        return setting.run(operation, root(operation) + part, seconds, load.operationsMax());
    }

    private static String root(MetaOperation operation) {
        return "/bench/" + operation;
    }

    private static String turn(int turn) {
        return "/turn-" + turn;
    }

    private List<String> directories(MetaOperation operation) {
        List<String> parts = new ArrayList<>(WarmUp.PARTS);
        WarmUp.PARTS.forEach(part -> parts.add(part + SETTLING));
        IntStream.rangeClosed(1, options.turns).forEach(turn -> parts.add(turn(turn)));
        return parts.stream().map(part -> root(operation) + part).toList();
    }

    /** Of all turns of a round. */
    private void record(int round, int servers, MetaOperation operation, ScalingSetting.Work work) {
        figures.put(rate(operation, servers), work.perSecond());
        figures.put(shardMicros(operation, servers), micros(work.shards(), work.outcome()));
        figures.put(namespaceMicros(operation, servers), micros(work.namespaces(), work.outcome()));
        requireBusy(round, servers, operation, work);
    }

    private void row(int round, int turn, ScalingSetting setting, MetaOperation operation, ScalingSetting.Work work) {
        WorkerPool.Outcome outcome = work.outcome();
        results.row(
                round,
                turn,
                setting.servers(),
                work.namespaces().size(),
                setting.clientsOfCluster(),
                operation,
                outcome.operations(),
                String.format("%.3f", outcome.seconds()),
                String.format("%.0f", work.perSecond()),
                String.format("%.1f", outcome.clientCpuSeconds() * 1e6 / outcome.operations()),
                String.format("%.1f", micros(work.shards(), outcome)),
                String.format("%.1f", micros(work.namespaces(), outcome)),
                String.format("%.3f", leastUse(work.shards(), outcome)),
                String.format("%.3f", leastUse(work.namespaces(), outcome)),
                periods(work.shards()),
                periods(work.namespaces()));
    }

    private void requireBusy(int round, int servers, MetaOperation operation, ScalingSetting.Work work) {
        double shardUse = leastUse(work.shards(), work.outcome());
        double namespaceUse = leastUse(work.namespaces(), work.outcome());
        boolean busy = shardUse >= BUSY || (operation == MetaOperation.MKDIRS && namespaceUse >= BUSY);
        if (!busy) {
            roundCounts = false;
            results.remark(String.format(
                    "round %d, %d servers, %s: some server used %.2f of its part of a core, some namespace group %.2f",
                    round, servers, operation, shardUse, namespaceUse));
        }
    }

    /** Of its quota, the one that used least of it. */
    private double leastUse(List<CpuQuota.Usage> used, WorkerPool.Outcome outcome) {
        return used.stream()
                .mapToDouble(one -> one.usedNanos() / 1e9 / outcome.seconds() / options.cores)
                .min()
                .orElse(0);
    }

    /** Of all together for an operation. */
    private static double micros(List<CpuQuota.Usage> used, WorkerPool.Outcome outcome) {
        return used.stream().mapToLong(CpuQuota.Usage::usedNanos).sum() / 1e3 / outcome.operations();
    }

    /** Those in which the quota was used up, of all in which there was something to do. */
    private static String periods(List<CpuQuota.Usage> used) {
        return used.stream().mapToLong(CpuQuota.Usage::throttledPeriods).sum() + "/"
                + used.stream().mapToLong(CpuQuota.Usage::periods).sum();
    }
}
