package io.tatami.benchmarks.workload.small;

import io.tatami.benchmarks.harness.client.StreamClients;
import io.tatami.benchmarks.harness.client.StreamClients.Outcome;
import io.tatami.benchmarks.harness.host.PageCache;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.CpuMeter;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.PeerOrder;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.workload.small.SmallOptions.Crowd;
import io.tatami.benchmarks.workload.small.SmallOptions.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.fs.FileSystem;

/**
 * In each round each peer, started anew, in random order: all files of a length are loaded into one directory, listed
 * by one client, and read back by all, from the disk and once more from memory. A load is over when the last file is
 * closed, and once more when the disk has been synced, for HDFS acknowledges from the page cache.
 */
final class SmallRounds {
    static final List<String> COLUMNS = List.of(
            "round",
            "peer",
            "files",
            "file_bytes",
            "workload",
            "seconds",
            "sync_seconds",
            "files_per_s",
            "mb_per_s",
            "client_cpu_us_per_file",
            "server_cpu_us_per_file",
            "space_overhead_percent");
    private static final int CALL_BYTES = 1 << 20;

    private final SmallOptions options;
    private final int rounds;
    private final Path work;
    private final PeerOrder order;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();
    private final Progress progress = new Progress();

    SmallRounds(SmallOptions options, List<String> peers, RoundOptions rounds, Path work, Undo undo, Results results) {
        this.options = options;
        this.rounds = rounds.rounds();
        this.work = work;
        this.order = new PeerOrder(peers, rounds.random());
        this.undo = undo;
        this.results = results;
    }

    Rounds run() throws Exception {
        RoundTurns turns = results.turns(rounds, order.size());
        for (int round = 1; round <= rounds; round++) {
            for (String peer : order.next()) {
                turns.next();
                measure(round, peer);
            }
            figures.keep();
        }
        return figures;
    }

    private void measure(int round, String name) throws Exception {
        Path directory = work.resolve("small-" + name);
        progress.tell("round %d of %d, %s: starting", round, rounds, name);
        try (Peer peer = start(name, directory);
                StreamClients clients =
                        new StreamClients(peer, options.clients, CALL_BYTES, directory.resolve("clients"))) {
            undo.add(clients::close);
            for (Crowd crowd : options.crowds()) {
                progress.tell("round %d of %d, %s: warming up with %s files", round, rounds, name, crowd.name());
                warmUp(peer, clients, crowd);
            }
            for (Crowd crowd : options.crowds()) {
                measure(round, peer, directory, clients, crowd);
            }
        }
    }

    private Peer start(String name, Path directory) throws IOException, InterruptedException {
        long mebibytes = options.capacityMebibytes();
        return options.freshVolume
                ? Peers.start(name, directory, mebibytes + "m", undo)
                : Peers.startInUse(name, directory, mebibytes, undo);
    }

    private void warmUp(Peer peer, StreamClients clients, Crowd crowd) throws IOException {
        int files = crowd.files() * options.warmUpPercent / 100;
        if (files > 0) {
            String directory = loadAnew(peer, clients, crowd, files);
            clients.list(directory, files, crowd.fileBytes());
            double seconds = 0;
            while (options.only.contains(Workload.READ) && seconds < options.warmUpSeconds) {
                seconds += clients.read(directory, options.clients, files, crowd.fileBytes())
                        .seconds();
            }
        }
    }

    /**
     * Loads files as it is measured, into directories that are not there yet: to write over files is other code. Those
     * of before are deleted; returns the last directory.
     */
    private String loadAnew(Peer peer, StreamClients clients, Crowd crowd, int files) throws IOException {
        try (FileSystem fs = FileSystem.newInstance(peer.configuration())) {
            double seconds = 0;
            for (int pass = 1; ; pass++) {
                String directory = "/warm-up-" + crowd.name() + "-" + pass;
                seconds += clients.write(directory, options.clients, files, crowd.fileBytes())
                        .seconds();
                if (seconds >= options.warmUpSeconds) {
                    return directory;
                }
                fs.delete(new org.apache.hadoop.fs.Path(directory), true);
            }
        }
    }

    private void measure(int round, Peer peer, Path home, StreamClients clients, Crowd crowd)
            throws IOException, InterruptedException {
        load(round, peer, home, clients, crowd);
        Work list = () -> clients.list("/" + crowd.name(), crowd.files(), crowd.fileBytes());
        Work read = () -> clients.read("/" + crowd.name(), options.clients, crowd.files(), crowd.fileBytes());
        for (boolean cold : List.of(true, false)) {
            if (!cold || PageCache.canBeDropped()) {
                measure(round, peer, crowd, cold, Workload.LIST, list);
                measure(round, peer, crowd, cold, Workload.READ, read);
            }
        }
    }

    private void load(int round, Peer peer, Path home, StreamClients clients, Crowd crowd)
            throws IOException, InterruptedException {
        PageCache.sync(work);
        progress.tell("round %d of %d, %s: looking how much room it takes", round, rounds, peer.name());
        long spaceBefore = SpaceUsed.bytes(peer, home);
        PageCache.sync(work);
        progress.tell(
                "round %d of %d, %s: loading %d files of %d bytes",
                round, rounds, peer.name(), crowd.files(), crowd.fileBytes());
        CpuMeter meter = new CpuMeter(peer);
        Outcome loaded = clients.write("/" + crowd.name(), options.clients, crowd.files(), crowd.fileBytes());
        long loadNanos = meter.usedNanos();
        double syncSeconds = PageCache.sync(work);
        double overhead = (SpaceUsed.bytes(peer, home) - spaceBefore) / crowd.megabytes() / 1e4 - 100;
        SmallFigure figure = new SmallFigure(crowd.name(), "load");
        figures.put(figure.overhead(peer.name()), overhead);
        figures.put(figure.synced().rate(peer.name()), crowd.files() / (loaded.seconds() + syncSeconds));
        record(round, peer, crowd, figure, loaded, loadNanos, syncSeconds, String.format("%.2f", overhead));
    }

    /** What clients do. */
    @FunctionalInterface
    private interface Work {
        Outcome run() throws IOException;
    }

    private void measure(int round, Peer peer, Crowd crowd, boolean cold, Workload workload, Work done)
            throws IOException {
        if (!options.only.contains(workload)) {
            return;
        }
        String name = (cold ? "cold-" : "warm-") + workload.name().toLowerCase(Locale.ROOT);
        progress.tell("round %d of %d, %s: %s of %d files", round, rounds, peer.name(), name, crowd.files());
        if (cold) {
            PageCache.drop();
        }
        CpuMeter meter = new CpuMeter(peer);
        Outcome outcome = done.run();
        record(round, peer, crowd, new SmallFigure(crowd.name(), name), outcome, meter.usedNanos(), 0, "");
    }

    private void record(
            int round,
            Peer peer,
            Crowd crowd,
            SmallFigure figure,
            Outcome outcome,
            long serverNanos,
            double syncSeconds,
            String overhead) {
        double clientMicros = outcome.cpuSeconds() * 1e6 / crowd.files();
        double serverMicros = serverNanos / 1e3 / crowd.files();
        results.row(
                round,
                peer.name(),
                crowd.files(),
                crowd.fileBytes(),
                figure.workload(),
                String.format("%.3f", outcome.seconds()),
                String.format("%.3f", syncSeconds),
                String.format("%.0f", crowd.files() / outcome.seconds()),
                String.format("%.1f", crowd.megabytes() / outcome.seconds()),
                String.format("%.1f", clientMicros),
                String.format("%.1f", serverMicros),
                overhead);
        figures.put(figure.rate(peer.name()), crowd.files() / outcome.seconds());
        figures.put(figure.cpu(peer.name()), clientMicros + serverMicros);
    }
}
