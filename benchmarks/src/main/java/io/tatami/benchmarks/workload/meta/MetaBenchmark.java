package io.tatami.benchmarks.workload.meta;

import io.tatami.benchmarks.harness.host.CpuQuota;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.CpuMeter;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.PeerOptions;
import io.tatami.benchmarks.harness.peer.PeerOrder;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RunPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileUtil;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code tatami bench meta}: operations on names by many clients through Hadoop's API, in one directory or in private
 * ones. In every round each peer is started anew, in random order; the result is the median of the rounds' ratios.
 */
@Command(
        name = "meta",
        mixinStandardHelpOptions = true,
        description = "Operations on names by many clients, beside HDFS with --vs hdfs.")
public final class MetaBenchmark implements Callable<Integer> {
    private static final String MEASURED = "/run";
    private static final long CAPACITY_MEBIBYTES = 4_096;

    private static final List<String> COLUMNS = List.of(
            "round",
            "peer",
            "clients",
            "directory",
            "operation",
            "operations",
            "seconds",
            "per_second",
            "client_cpu_us_per_operation",
            "server_cpu_us_per_operation");

    @Mixin
    private PeerOptions peers = new PeerOptions();

    @Option(names = "--clients", split = ",", description = "Numbers of clients (default: 1,16,64).")
    private List<Integer> clientCounts = List.of(1, 16, 64);

    @Option(names = "--seconds", description = "How long each kind of operation goes on (default: ${DEFAULT-VALUE}).")
    private int seconds = 10;

    @Option(
            names = "--warm-up-seconds",
            description = "How long each kind goes on before, elsewhere and unmeasured (default: ${DEFAULT-VALUE}).")
    private int warmUpSeconds = 10;

    @Option(
            names = "--operations",
            description = "The most of each kind, over all clients (default: ${DEFAULT-VALUE}).")
    private int operations = 2_000_000;

    @Mixin
    private RoundOptions rounds = new RoundOptions(3);

    @Option(names = "--private", description = "Each client in a directory of its own, instead of all in one.")
    private boolean privateDirectories;

    @Option(
            names = "--only",
            split = ",",
            description = "Operations to measure; default all: ${COMPLETION-CANDIDATES}.")
    private Set<MetaOperation> only = EnumSet.allOf(MetaOperation.class);

    @Mixin
    private ScalingOptions scaling = new ScalingOptions();

    @Mixin
    private RunPlace place = new RunPlace();

    /** (clients, operation) to a peer's rates, one a round. */
    private final Map<String, Map<String, List<Double>>> rates = new TreeMap<>();

    @Override
    public Integer call() throws Exception {
        if (!scaling.servers.isEmpty()) {
            return scale();
        }
        PeerOrder order = new PeerOrder(peers.names(), rounds.random());
        Undo undo = new Undo();
        try (Results results = new Results(place.results(), "meta", COLUMNS)) {
            RoundTurns turns = results.turns(rounds.rounds(), order.size());
            for (int round = 1; round <= rounds.rounds(); round++) {
                for (String peer : order.next()) {
                    turns.next();
                    measure(round, peer, undo, results);
                }
            }
            summarize(results);
        } finally {
            undo.run();
        }
        return 0;
    }

    /** Of the operations those that {@link ScalingRounds} knows. */
    private int scale() throws Exception {
        if (!CpuQuota.isAvailable()) {
            System.err.println(
                    "tatami: bench meta --servers needs root and cgroup v1's cpu and cpuacct controllers, to give"
                            + " each server an equal part of a core");
            return 2;
        }
        int most = Collections.max(scaling.servers);
        if (scaling.servers.stream().anyMatch(servers -> servers < 1 || most % servers != 0)) {
            System.err.println("tatami: each number of --servers must be at least 1 and divide the greatest, " + most);
            return 2;
        }
        Files.createDirectories(place.work());
        List<MetaOperation> operations =
                ScalingRounds.OPERATIONS.stream().filter(only::contains).toList();
        ScalingRounds.Load load = new ScalingRounds.Load(operations, seconds, warmUpSeconds, this.operations);
        Undo undo = new Undo();
        try (Results results = new Results(place.results(), "scaling", ScalingRounds.COLUMNS)) {
            results.remark("one directory over all shards, one shard a server; each server, and the namespace group's"
                    + " in every setting, may use " + scaling.cores + " of a core");
            Rounds figures = new ScalingRounds(scaling, rounds, load, place.work(), undo, results).run();
            new ScalingSummary(figures, scaling.servers, scaling.cores)
                    .lines(operations)
                    .forEach(results::remark);
            results.remark("raw figures: " + results.file());
        } finally {
            undo.run();
        }
        return 0;
    }

    private void measure(int round, String name, Undo undo, Results results) throws Exception {
        Path directory = Files.createDirectories(place.work()).resolve("meta-" + name);
        try (Peer peer = Peers.startInUse(name, directory, CAPACITY_MEBIBYTES, undo)) {
            for (int clients : clientCounts) {
                measure(round, peer, clients, results);
            }
        }
    }

    private void measure(int round, Peer peer, int clients, Results results) throws IOException {
        int each = Math.max(1, operations / clients);
        String root = "/bench/meta-" + clients;
        makeDirectories(peer, root, clients);
        Path scratch = Files.createTempDirectory(place.work(), "workers");
        try (WorkerPool pool = new WorkerPool(peer, clients, scratch)) {
            List<MetaOperation> wanted = wanted();
            for (String part : WarmUp.PARTS) {
                for (MetaOperation operation : wanted) {
                    pool.run(operation, root + part, WarmUp.partOf(warmUpSeconds), each, !privateDirectories);
                }
            }
            for (MetaOperation operation : wanted) {
                CpuMeter meter = new CpuMeter(peer);
                WorkerPool.Outcome outcome = pool.run(operation, root + MEASURED, seconds, each, !privateDirectories);
                if (only.contains(operation)) {
                    record(round, peer, clients, operation, outcome, meter.usedNanos(), results);
                }
            }
        }
        FileUtil.fullyDelete(scratch.toFile());
    }

    /** Those asked for, and those without which they have nothing to work on. */
    private List<MetaOperation> wanted() {
        return Arrays.stream(MetaOperation.values())
                .filter(operation ->
                        only.contains(operation) || only.stream().anyMatch(later -> later.needs(operation)))
                .toList();
    }

    private void makeDirectories(Peer peer, String root, int clients) throws IOException {
        try (FileSystem fs = FileSystem.newInstance(peer.configuration())) {
            for (String part : WarmUp.PARTS) {
                makeDirectories(fs, root + part, clients);
            }
            makeDirectories(fs, root + MEASURED, clients);
        }
    }

    private void makeDirectories(FileSystem fs, String directory, int clients) throws IOException {
        fs.mkdirs(new org.apache.hadoop.fs.Path(directory));
        for (int client = 0; privateDirectories && client < clients; client++) {
            fs.mkdirs(new org.apache.hadoop.fs.Path(directory + "/c" + client));
        }
    }

    private void record(
            int round,
            Peer peer,
            int clients,
            MetaOperation operation,
            WorkerPool.Outcome outcome,
            long serverNanos,
            Results results) {
        double rate = outcome.operations() / outcome.seconds();
        results.row(
                round,
                peer.name(),
                clients,
                privateDirectories ? "private" : "shared",
                operation,
                outcome.operations(),
                String.format("%.3f", outcome.seconds()),
                String.format("%.0f", rate),
                String.format("%.1f", outcome.clientCpuSeconds() * 1e6 / outcome.operations()),
                String.format("%.1f", serverNanos / 1e3 / outcome.operations()));
        rates.computeIfAbsent(String.format("%4d %s", clients, operation), key -> new TreeMap<>())
                .computeIfAbsent(peer.name(), key -> new ArrayList<>())
                .add(rate);
    }

    private void summarize(Results results) {
        rates.forEach((what, byPeer) -> {
            StringBuilder line = new StringBuilder("median " + what);
            byPeer.forEach((peer, values) -> line.append(String.format("  %s %.0f/s", peer, Results.median(values))));
            List<Double> ours = byPeer.getOrDefault("tatami", List.of());
            List<Double> theirs = byPeer.getOrDefault(peers.versus(), List.of());
            if (!theirs.isEmpty()) {
                List<Double> ratios = new ArrayList<>();
                for (int i = 0; i < theirs.size(); i++) {
                    ratios.add(ours.get(i) / theirs.get(i));
                }
                line.append(String.format("  ratio %.2f", Results.median(ratios)));
            }
            results.remark(line.toString());
        });
        results.remark("raw figures: " + results.file());
    }
}
