package io.tatami.benchmarks.workload.commit;

import io.tatami.benchmarks.harness.client.ClientProcesses;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.PeerOptions;
import io.tatami.benchmarks.harness.peer.PeerOrder;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileUtil;

/**
 * In each round each peer is started anew, in random order, and has some jobs for each number of clients, each in an
 * output of its own that is checked and deleted after it.
 */
final class CommitRounds {
    static final List<String> COLUMNS = List.of(
            "round",
            "peer",
            "clients",
            "job",
            "tasks",
            "setup_seconds",
            "tasks_seconds",
            "tasks_per_second",
            "commit_seconds",
            "delete_seconds");

    private static final ClientProcesses.Kind KIND = new ClientProcesses.Kind(CommitWorker.class, 32, "512m");
    private static final long CAPACITY_MEBIBYTES = 4_096;

    private final CommitOptions options;
    private final PeerOptions peers;
    private final RoundOptions rounds;
    private final Path work;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();
    private final Progress progress = new Progress();

    CommitRounds(CommitOptions options, PeerOptions peers, RoundOptions rounds, Path work, Undo undo, Results results) {
        this.options = options;
        this.peers = peers;
        this.rounds = rounds;
        this.work = work;
        this.undo = undo;
        this.results = results;
    }

    /** What a figure is of: how often in a second a peer did the step, by the median of a round's jobs. */
    static String rate(String peer, String step, int clients) {
        return peer + " " + step + "/s x" + clients;
    }

    /** @throws IOException where an output is not what its tasks wrote, or an option is out of range */
    Rounds run() throws IOException, InterruptedException {
        if (options.tasks < 1 || options.partitions < 1 || options.jobs < 1 || options.fileBytes < 0) {
            throw new IOException("--tasks, --partitions and --jobs are 1 at the least, and --file-bytes 0");
        }
        if (options.algorithm != 1 && options.algorithm != 2) {
            throw new IOException("--algorithm " + options.algorithm + " is neither 1 nor 2");
        }
        PeerOrder order = new PeerOrder(peers.names(), rounds.random());
        RoundTurns turns = results.turns(rounds.rounds(), order.size() * options.clientCounts.size());
        for (int round = 1; round <= rounds.rounds(); round++) {
            for (String name : order.next()) {
                Path directory = work.resolve("commit-" + name);
                try (Peer peer = Peers.startInUse(name, directory, CAPACITY_MEBIBYTES, undo)) {
                    for (int clients : options.clientCounts) {
                        turns.next();
                        measure(round, peer, clients);
                    }
                }
            }
            figures.keep();
        }
        return figures;
    }

    private void measure(int round, Peer peer, int clients) throws IOException {
        Path scratch = work.resolve("commit-clients");
        List<Double> tasks = new ArrayList<>();
        List<Double> commits = new ArrayList<>();
        List<Double> deletes = new ArrayList<>();
        try (ClientProcesses processes = new ClientProcesses(KIND, clients, peer.configuration(), scratch)) {
            for (int number = 1 - options.warmUpJobs; number <= options.jobs; number++) {
                progress.tell("round %d, %s, %d clients, job %d", round, peer.name(), clients, number);
                String output = "/bench/commit-" + clients + "/job-" + (number + options.warmUpJobs);
                Turn turn = new Turn(processes, clients, options.job(output));
                double setup = turn.seconds("setup");
                double run = turn.seconds("tasks");
                double commit = turn.seconds("commit");
                turn.seconds("check");
                double delete = turn.seconds("delete");
                if (number > 0) {
                    results.row(
                            round,
                            peer.name(),
                            clients,
                            number,
                            options.tasks,
                            String.format("%.4f", setup),
                            String.format("%.3f", run),
                            String.format("%.1f", options.tasks / run),
                            String.format("%.4f", commit),
                            String.format("%.4f", delete));
                    tasks.add(options.tasks / run);
                    commits.add(1 / commit);
                    deletes.add(1 / delete);
                }
            }
        }
        FileUtil.fullyDelete(scratch.toFile());
        figures.put(rate(peer.name(), "tasks", clients), Results.median(tasks));
        figures.put(rate(peer.name(), "job commits", clients), Results.median(commits));
        figures.put(rate(peer.name(), "deletes of outputs", clients), Results.median(deletes));
    }

    private record Turn(ClientProcesses processes, int clients, CommitJob job) {
        /** Of the slowest JVM. */
        double seconds(String step) throws IOException {
            return processes.run(step + " " + clients + " " + job.words()).stream()
                            .mapToLong(words -> Long.parseLong(words.get(0)))
                            .max()
                            .orElseThrow()
                    / 1e9;
        }
    }
}
