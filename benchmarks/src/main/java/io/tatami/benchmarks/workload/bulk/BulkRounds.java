package io.tatami.benchmarks.workload.bulk;

import io.tatami.benchmarks.harness.client.ClientProcesses;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.CpuMeter;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.peer.TatamiDirectories;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.TatamiPath;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FileUtil;

/**
 * In each round a new Tatami, and for each number of clients several turns of the three modes, each time in another
 * order: what one mode leaves to the store, and what the machine's host takes away, falls on each of them. What a mode
 * leaves to be reclaimed is waited for before the next begins.
 */
final class BulkRounds {
    static final List<String> COLUMNS = List.of(
            "round",
            "clients",
            "mode",
            "files",
            "create_seconds",
            "creates_per_second",
            "close_seconds",
            "create_and_close_per_second",
            "client_cpu_us_per_create",
            "server_cpu_us_per_create",
            "refills",
            "credits",
            "without_grant");

    private static final ClientProcesses.Kind KIND = new ClientProcesses.Kind(BulkWorker.class, 32, "512m");
    private static final int TURNS = 5;
    private static final int WARM_UP_TURNS = 3;
    private static final int SHARD = 0;
    private static final int DRAWS_MAX = 10_000;
    private static final long SETTLE_LIMIT_SECONDS = 900;
    private static final long SETTLE_PAUSE_MILLIS = 200;

    private final BulkOptions options;
    private final RoundOptions rounds;
    private final Path work;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();
    private final Progress progress = new Progress();

    /** Numbers the directories, so that no file has the name of another. */
    private int measurements;

    BulkRounds(BulkOptions options, RoundOptions rounds, Path work, Undo undo, Results results) {
        this.options = options;
        this.rounds = rounds;
        this.work = work;
        this.undo = undo;
        this.results = results;
    }

    /**
     * The figures of all rounds, and of each number of clients as often as it was given, under {@link #creates} and
     * {@link #both}.
     */
    Rounds run() throws Exception {
        Random random = rounds.random();
        undo.add(() -> FileUtil.fullyDelete(clientDirectory().toFile()));
        RoundTurns turns = results.turns(rounds.rounds(), options.clientCounts.size());
        for (int round = 1; round <= rounds.rounds(); round++) {
            try (Peer peer = Peers.start("tatami", work.resolve("bulk"), options.capacity, undo)) {
                for (int clients : options.clientCounts) {
                    turns.next();
                    measure(round, peer, clients, random);
                    figures.keep();
                }
            }
        }
        return figures;
    }

    static String creates(int clients, CreateMode mode) {
        return "creates/s x" + clients + " " + mode.label();
    }

    static String both(int clients, CreateMode mode) {
        return "creates and closes/s x" + clients + " " + mode.label();
    }

    private Path clientDirectory() {
        return work.resolve("bulk-clients");
    }

    private void measure(int round, Peer peer, int clients, Random random) throws Exception {
        String authority = Peers.authority(peer);
        List<CreateMode> modes = Arrays.asList(CreateMode.values());
        try (TatamiClient observer = Peers.connect(peer);
                ClientProcesses processes =
                        new ClientProcesses(KIND, clients, peer.configuration(), clientDirectory(), authority)) {
            Turn turn = new Turn(peer, observer, processes, clients);
            String place = "/bulk/" + ++measurements + "-x" + clients;
            int warmUpSeconds =
                    (options.warmUpSeconds + WARM_UP_TURNS * modes.size() - 1) / (WARM_UP_TURNS * modes.size());
            for (int i = 0; i < WARM_UP_TURNS; i++) {
                for (CreateMode mode : modes) {
                    turn.run(mode, place + "-warm-" + i + "-" + mode.label(), warmUpSeconds);
                }
            }
            Map<CreateMode, Outcome> outcomes = new EnumMap<>(CreateMode.class);
            int seconds = (options.seconds + TURNS - 1) / TURNS;
            for (int i = 0; i < TURNS; i++) {
                Collections.shuffle(modes, random);
                for (CreateMode mode : modes) {
                    progress.tell("round %d, %d clients, turn %d: %s", round, clients, i + 1, mode.label());
                    Outcome outcome = turn.run(mode, place + "-" + i + "-" + mode.label(), seconds);
                    outcomes.merge(mode, outcome, Outcome::then);
                }
            }
            for (Map.Entry<CreateMode, Outcome> outcome : outcomes.entrySet()) {
                record(round, clients, outcome.getKey(), outcome.getValue());
            }
        }
    }

    /** What one mode did; CPU times are those of the creates. */
    private record Outcome(
            BulkTally created, BulkTally closed, ServiceCounts counted, double clientCpuSeconds, long serverCpuNanos) {
        Outcome then(Outcome next) {
            return new Outcome(
                    created.then(next.created),
                    closed.then(next.closed),
                    counted.plus(next.counted),
                    clientCpuSeconds + next.clientCpuSeconds,
                    serverCpuNanos + next.serverCpuNanos);
        }

        double createsPerSecond() {
            return created.files() / created.seconds();
        }

        double bothPerSecond() {
            return created.files() / (created.seconds() + closed.seconds());
        }
    }

    private record Turn(Peer peer, TatamiClient observer, ClientProcesses processes, int clients) {
        Outcome run(CreateMode mode, String directory, int seconds) throws IOException, InterruptedException {
            String made = make(directory);
            ServiceCounts before = settled();
            double clientCpu = processes.cpuSeconds();
            CpuMeter meter = new CpuMeter(peer);
            BulkTally created = BulkTally.parse(processes.run("create " + mode + " " + made + " " + seconds));
            long serverCpu = meter.usedNanos();
            clientCpu = processes.cpuSeconds() - clientCpu;
            ServiceCounts counted = ServiceCounts.of(observer).since(before);
            require(
                    counted.blocks() == (mode.hasBlock() ? created.files() : 0),
                    created.files() + " files were created with " + mode.label() + ", and the shards count "
                            + counted.blocks() + " blocks more");
            BulkTally closed = BulkTally.parse(processes.run("close"));
            return new Outcome(created, closed, counted, clientCpu, serverCpu);
        }

        /** One of the shard that all modes use: what was warmed up is what is measured. */
        private String make(String prefix) throws IOException {
            int shards = observer.cluster().status().map().getShards();
            for (int draw = 0; draw < DRAWS_MAX; draw++) {
                String directory = prefix + "-" + draw;
                if (TatamiDirectories.make(observer, TatamiPath.of(directory), shards) == SHARD) {
                    return directory;
                }
            }
            throw new IOException("none of " + DRAWS_MAX + " directories has its files in shard " + SHARD);
        }

        /** Once nothing of earlier files is left to do in the background. */
        private ServiceCounts settled() throws IOException, InterruptedException {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SETTLE_LIMIT_SECONDS);
            ServiceCounts now = ServiceCounts.of(observer);
            while (now.pendingReclaims() > 0) {
                require(
                        System.nanoTime() - deadline < 0,
                        now.pendingReclaims() + " blocks are not reclaimed after " + SETTLE_LIMIT_SECONDS + " s");
                Thread.sleep(SETTLE_PAUSE_MILLIS);
                now = ServiceCounts.of(observer);
            }
            return now;
        }
    }

    private void record(int round, int clients, CreateMode mode, Outcome outcome) throws IOException {
        BulkTally created = outcome.created();
        results.row(
                round,
                clients,
                mode.label(),
                created.files(),
                String.format("%.3f", created.seconds()),
                String.format("%.0f", outcome.createsPerSecond()),
                String.format("%.3f", outcome.closed().seconds()),
                String.format("%.0f", outcome.bothPerSecond()),
                String.format("%.1f", outcome.clientCpuSeconds() * 1e6 / created.files()),
                String.format("%.1f", outcome.serverCpuNanos() / 1e3 / created.files()),
                outcome.counted().refills(),
                outcome.counted().credits(),
                created.withoutGrant());
        figures.put(creates(clients, mode), outcome.createsPerSecond());
        figures.put(both(clients, mode), outcome.bothPerSecond());
        require(
                mode != CreateMode.GRANTS || outcome.counted().refills() >= options.refillsMin,
                "the block server counts " + outcome.counted().refills() + " refills while " + clients
                        + " clients created " + created.files() + " files with grants; give --seconds more than "
                        + options.seconds + " for " + options.refillsMin);
    }

    private static void require(boolean holds, String otherwise) throws IOException {
        if (!holds) {
            throw new IOException(otherwise);
        }
    }
}
