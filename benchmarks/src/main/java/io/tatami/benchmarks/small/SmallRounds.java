package io.tatami.benchmarks.small;

import io.tatami.benchmarks.Results;
import io.tatami.benchmarks.Rounds;
import io.tatami.benchmarks.clients.StreamClients;
import io.tatami.benchmarks.clients.StreamClients.Outcome;
import io.tatami.benchmarks.peer.CpuMeter;
import io.tatami.benchmarks.peer.PageCache;
import io.tatami.benchmarks.peer.Peer;
import io.tatami.benchmarks.peer.PeerOrder;
import io.tatami.benchmarks.peer.Peers;
import io.tatami.benchmarks.peer.Undo;
import io.tatami.benchmarks.small.SmallOptions.Crowd;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.fs.FileUtil;

/**
 * In each round each peer, started anew, in random order: all files of a length are loaded into one directory, listed by
 * one client, and read back by all, from the disk and once more from memory. A load is over when the last file is closed,
 * and once more when the disk has been synced, for HDFS acknowledges from the page cache.
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
    private final Path work;
    private final PeerOrder order;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();

    SmallRounds(SmallOptions options, String versus, Path work, long seed, Undo undo, Results results) {
        this.options = options;
        this.work = work;
        this.order = new PeerOrder(versus, seed);
        this.undo = undo;
        this.results = results;
    }

    Rounds run() throws Exception {
        for (int round = 1; round <= options.rounds; round++) {
            for (String peer : order.next()) {
                measure(round, peer);
            }
            figures.keep();
        }
        return figures;
    }

    private void measure(int round, String name) throws Exception {
        Path directory = work.resolve("small-" + name);
        FileUtil.fullyDelete(directory.toFile());
        undo.add(() -> FileUtil.fullyDelete(directory.toFile()));
        try (Peer peer = Peers.start(name, directory, options.capacity())) {
            undo.add(peer::close);
            try (StreamClients clients =
                    new StreamClients(peer, options.clients, CALL_BYTES, directory.resolve("clients"))) {
                undo.add(clients::close);
                for (Crowd crowd : options.crowds()) {
                    warmUp(clients, crowd);
                }
                for (Crowd crowd : options.crowds()) {
                    measure(round, peer, directory, clients, crowd);
                }
            }
        }
    }

    private void warmUp(StreamClients clients, Crowd crowd) throws IOException {
        int files = crowd.files() * options.warmUpPercent / 100;
        if (files > 0) {
            String directory = "/warm-up-" + crowd.name();
            clients.write(directory, options.clients, files, crowd.fileBytes());
            clients.list(directory, files, crowd.fileBytes());
            clients.read(directory, options.clients, files, crowd.fileBytes());
        }
    }

    private void measure(int round, Peer peer, Path home, StreamClients clients, Crowd crowd)
            throws IOException, InterruptedException {
        String directory = "/" + crowd.name();
        int files = crowd.files();
        PageCache.sync(work);
        long spaceBefore = SpaceUsed.bytes(peer, home);
        CpuMeter meter = new CpuMeter(peer);
        Outcome loaded = clients.write(directory, options.clients, files, crowd.fileBytes());
        long loadNanos = meter.usedNanos();
        double syncSeconds = PageCache.sync(work);
        double overhead = (SpaceUsed.bytes(peer, home) - spaceBefore) / crowd.megabytes() / 1e4 - 100;
        SmallFigure figure = new SmallFigure(crowd.name(), "load");
        figures.put(figure.overhead(peer.name()), overhead);
        figures.put(figure.synced().rate(peer.name()), files / (loaded.seconds() + syncSeconds));
        record(round, peer, crowd, figure, loaded, loadNanos, syncSeconds, String.format("%.2f", overhead));
        if (PageCache.canBeDropped()) {
            PageCache.drop();
            measure(round, peer, crowd, "cold-list", () -> clients.list(directory, files, crowd.fileBytes()));
            PageCache.drop();
            measure(
                    round,
                    peer,
                    crowd,
                    "cold-read",
                    () -> clients.read(directory, options.clients, files, crowd.fileBytes()));
        }
        measure(round, peer, crowd, "warm-list", () -> clients.list(directory, files, crowd.fileBytes()));
        measure(
                round,
                peer,
                crowd,
                "warm-read",
                () -> clients.read(directory, options.clients, files, crowd.fileBytes()));
    }

    /** What clients do. */
    @FunctionalInterface
    private interface Work {
        Outcome run() throws IOException;
    }

    private void measure(int round, Peer peer, Crowd crowd, String workload, Work done) throws IOException {
        CpuMeter meter = new CpuMeter(peer);
        Outcome outcome = done.run();
        record(round, peer, crowd, new SmallFigure(crowd.name(), workload), outcome, meter.usedNanos(), 0, "");
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
