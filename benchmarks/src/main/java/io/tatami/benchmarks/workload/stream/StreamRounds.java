package io.tatami.benchmarks.workload.stream;

import io.tatami.benchmarks.harness.client.StreamClients;
import io.tatami.benchmarks.harness.host.PageCache;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.CeilingRounds;
import io.tatami.benchmarks.harness.peer.CpuMeter;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.PeerOptions;
import io.tatami.benchmarks.harness.peer.PeerOrder;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Writers, cold readers and warm readers, more and more at once. A round is the ceiling of the disk, each peer started
 * anew in random order, the ceiling again; within a peer's turn the numbers of streams come in random order too, since
 * the disk's speed drifts. A write is over when the last file is closed, and once more when the disk has been synced,
 * for HDFS acknowledges from the page cache.
 */
final class StreamRounds {
    static final int CALL_BYTES = 1 << 20;
    static final List<String> COLUMNS = List.of(
            "round",
            "peer",
            "streams",
            "workload",
            "mebibytes",
            "seconds",
            "sync_seconds",
            "mb_per_s",
            "synced_mb_per_s",
            "client_cpu_s_per_gb",
            "server_cpu_s_per_gb");
    private static final double BYTES_PER_MEBIBYTE = 1 << 20;
    private static final int SPARE_MEBIBYTES = 2048;

    private final StreamOptions options;
    private final int rounds;
    private final Path work;
    private final int copies;
    private final PeerOrder order;
    private final Random random;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();

    StreamRounds(StreamOptions options, PeerOptions peers, RoundOptions rounds, Path work, Undo undo, Results results) {
        this.options = options;
        this.rounds = rounds.rounds();
        this.work = work;
        this.copies = peers.copies();
        this.order = new PeerOrder(peers.names(), rounds.random());
        this.random = rounds.random();
        this.undo = undo;
        this.results = results;
    }

    Rounds run() throws Exception {
        results.remark(String.format(
                "%d files of %d MiB of random bytes, shared by the streams; calls of %d bytes; replication %d;"
                        + " places of Tatami's volume were written once before, as those of the device's file",
                options.files, options.mebibytes, CALL_BYTES, copies));
        if (!PageCache.canBeDropped()) {
            results.remark("no cold reads: only root can empty the page cache");
        }
        new CeilingRounds(work, options.totalMebibytes(), this::recordCeiling, figures, results)
                .run(rounds, order, undo, this::measure);
        return figures;
    }

    private void recordCeiling(int round, String direction, double rate) {
        String text = String.format("%.0f", rate);
        results.row(round, "device", 1, direction, options.totalMebibytes(), "", "", text, text, "", "");
        figures.putGreatest(StreamFigure.ceiling(direction), rate);
    }

    private void measure(int round, String name) throws Exception {
        Path directory = work.resolve("stream-" + name);
        long capacity = 2 * options.mebibytesAtOnce() + SPARE_MEBIBYTES;
        try (Peer peer = Peers.startInUse(name, directory, capacity, copies, undo);
                StreamClients clients =
                        new StreamClients(peer, options.streamsMax(), CALL_BYTES, directory.resolve("clients"))) {
            undo.add(clients::close);
            warmUp(peer, clients);
            List<Integer> counts = new ArrayList<>(options.streamCounts);
            Collections.shuffle(counts, random);
            for (int streams : counts) {
                measure(round, peer, clients, streams);
            }
        }
    }

    private void warmUp(Peer peer, StreamClients clients) throws IOException, InterruptedException {
        clients.write("/warm-up", options.streamsMax(), options.files, bytes(options.warmUpMebibytes));
        clients.read("/warm-up", options.streamsMax(), options.files, bytes(options.warmUpMebibytes));
        Deletion.of(peer, "/warm-up", bytes(options.mebibytes) / 2, results);
    }

    private static long bytes(int mebibytes) {
        return (long) mebibytes << 20;
    }

    private void measure(int round, Peer peer, StreamClients clients, int streams)
            throws IOException, InterruptedException {
        String directory = "/streams-" + streams;
        PageCache.sync(work);
        CpuMeter meter = new CpuMeter(peer);
        StreamClients.Outcome written = clients.write(directory, streams, options.files, bytes(options.mebibytes));
        record(round, peer, new StreamFigure("write", streams), written, PageCache.sync(work), meter);
        if (PageCache.canBeDropped()) {
            PageCache.drop();
            measureRead(round, peer, clients, new StreamFigure("cold-read", streams));
        }
        measureRead(round, peer, clients, new StreamFigure("warm-read", streams));
        Deletion.of(peer, directory, bytes(options.mebibytes) / 2, results);
    }

    private void measureRead(int round, Peer peer, StreamClients clients, StreamFigure figure) throws IOException {
        CpuMeter meter = new CpuMeter(peer);
        StreamClients.Outcome read =
                clients.read("/streams-" + figure.streams(), figure.streams(), options.files, bytes(options.mebibytes));
        record(round, peer, figure, read, 0, meter);
    }

    private void record(
            int round,
            Peer peer,
            StreamFigure figure,
            StreamClients.Outcome outcome,
            double syncSeconds,
            CpuMeter meter) {
        double megabytes = options.totalMebibytes() * BYTES_PER_MEBIBYTE / 1e6;
        double rate = megabytes / outcome.seconds();
        double syncedRate = megabytes / (outcome.seconds() + syncSeconds);
        double clientCpu = outcome.cpuSeconds() * 1e3 / megabytes;
        double serverCpu = meter.usedNanos() / 1e6 / megabytes;
        results.row(
                round,
                peer.name(),
                figure.streams(),
                figure.workload(),
                options.totalMebibytes(),
                String.format("%.3f", outcome.seconds()),
                String.format("%.3f", syncSeconds),
                String.format("%.0f", rate),
                String.format("%.0f", syncedRate),
                String.format("%.3f", clientCpu),
                String.format("%.3f", serverCpu));
        figures.put(figure.rate(peer.name()), rate);
        figures.put(figure.cpu(peer.name()), clientCpu + serverCpu);
        if (figure.isWrite()) {
            figures.put(figure.synced().rate(peer.name()), syncedRate);
        }
    }
}
