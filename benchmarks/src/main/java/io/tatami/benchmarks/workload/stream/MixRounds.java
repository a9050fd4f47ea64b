package io.tatami.benchmarks.workload.stream;

import io.tatami.benchmarks.harness.client.StreamClients;
import io.tatami.benchmarks.harness.client.StreamMix;
import io.tatami.benchmarks.harness.client.StreamTally;
import io.tatami.benchmarks.harness.host.PageCache;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.CeilingRounds;
import io.tatami.benchmarks.harness.peer.CpuMeter;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.PeerOrder;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.peer.TatamiPeer;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.workload.stream.MixOptions.Mix;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Readers beside writers, each mix for the same time. A round is the ceiling of the disk, each server started anew in
 * random order, Tatami's once for each number of volumes, and the ceiling again; the mixes come in random order too.
 * What is read was written before, and the page cache was emptied; what is written is deleted after each mix.
 */
final class MixRounds {
    static final List<String> COLUMNS = List.of(
            "round",
            "peer",
            "volumes",
            "readers",
            "writers",
            "seconds",
            "read_mb_per_s",
            "write_mb_per_s",
            "slowest_reader_share",
            "slowest_writer_share",
            "longest_read_call_ms",
            "client_cpu_s_per_gb",
            "server_cpu_s_per_gb",
            "read_mb_per_s_by_volume",
            "write_mb_per_s_by_volume");
    private static final String TATAMI = "tatami";
    private static final String SOURCE = "/read";
    private static final String TARGET = "/write";
    private static final int SPARE_MEBIBYTES = 4096;

    private final StreamOptions streams;
    private final MixOptions options;
    private final int rounds;
    private final Path work;
    private final PeerOrder order;
    private final Random random;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();

    MixRounds(
            StreamOptions streams,
            MixOptions options,
            List<String> peers,
            RoundOptions rounds,
            Path work,
            Undo undo,
            Results results) {
        this.streams = streams;
        this.options = options;
        this.rounds = rounds.rounds();
        this.work = work;
        this.order = new PeerOrder(sides(peers), rounds.random());
        this.random = rounds.random();
        this.undo = undo;
        this.results = results;
    }

    /** Tatami's by the number of volumes, as in {@code tatami-2}. */
    private List<String> sides(List<String> peers) {
        List<String> sides = new ArrayList<>();
        for (String peer : peers) {
            if (peer.equals(TATAMI)) {
                options.volumeCounts.forEach(volumes -> sides.add(MixFigure.side(TATAMI, volumes)));
            } else {
                sides.add(peer);
            }
        }
        return sides;
    }

    Rounds run() throws Exception {
        results.remark(String.format(
                "readers read %d files of %d MiB again and again, writers write such files, for %d s; calls of %d bytes;"
                        + " replication 1; all volumes are files on the same disk%s",
                streams.files,
                streams.mebibytes,
                options.seconds,
                StreamRounds.CALL_BYTES,
                PageCache.canBeDropped() ? "" : "; only root can empty the page cache, and nobody did"));
        new CeilingRounds(work, streams.totalMebibytes(), this::recordCeiling, figures, results)
                .run(rounds, order, undo, this::measure);
        return figures;
    }

    private void recordCeiling(int round, String direction, double rate) {
        boolean reads = direction.equals("read");
        String text = String.format("%.0f", rate);
        results.row(
                round,
                "device",
                "",
                reads ? 1 : 0,
                reads ? 0 : 1,
                "",
                reads ? text : "",
                reads ? "" : text,
                "",
                "",
                "",
                "",
                "",
                "",
                "");
        figures.putGreatest(StreamFigure.ceiling(direction), rate);
    }

    private void measure(int round, String side) throws Exception {
        Path directory = work.resolve("mix-" + side);
        try (Peer peer = start(side, directory);
                StreamClients clients = new StreamClients(
                        peer, options.streamsMax(), StreamRounds.CALL_BYTES, directory.resolve("clients"))) {
            undo.add(clients::close);
            long sourceBytes = (long) streams.totalMebibytes() << 20;
            clients.write(SOURCE, options.streamsMax(), streams.files, (long) streams.mebibytes << 20);
            clients.read(SOURCE, options.streamsMax(), streams.files, (long) streams.mebibytes << 20);
            List<Mix> mixes = new ArrayList<>(options.mixes);
            Collections.shuffle(mixes, random);
            Map<Mix, MixRates> measured = new HashMap<>();
            for (Mix mix : mixes) {
                measured.put(mix, measure(round, side, peer, clients, mix));
                Deletion.of(peer, TARGET, sourceBytes + ((long) streams.mebibytes << 19), results);
            }
            new MixFigure(side).putUses(measured, figures);
        }
    }

    private Peer start(String side, Path directory) throws IOException, InterruptedException {
        if (!side.startsWith(TATAMI)) {
            return Peers.start(side, directory, "", undo);
        }
        int volumes = MixFigure.volumes(side);
        long mebibytes = streams.totalMebibytes()
                + (long) StreamMix.FILES_PER_WRITER_MAX * options.writersMax() * streams.mebibytes;
        String capacity = (mebibytes / volumes + SPARE_MEBIBYTES) + "m";
        List<String> files = new ArrayList<>();
        for (int volume = 1; volume <= volumes; volume++) {
            files.add("--volume");
            files.add(directory.resolve("volume-" + volume).toString());
        }
        return Peers.inTurn(directory, undo, () -> TatamiPeer.start(directory, capacity, files));
    }

    private MixRates measure(int round, String side, Peer peer, StreamClients clients, Mix mix)
            throws IOException, InterruptedException {
        PageCache.sync(work);
        if (PageCache.canBeDropped()) {
            PageCache.drop();
        }
        VolumeTraffic traffic = VolumeTraffic.begin(peer);
        CpuMeter meter = new CpuMeter(peer);
        double cpuBegin = clients.cpuSeconds();
        List<StreamTally> tallies = clients.mix(new StreamMix(
                SOURCE,
                TARGET,
                mix.readers(),
                mix.writers(),
                streams.files,
                (long) streams.mebibytes << 20,
                options.seconds));
        MixRates rates = new MixRates(tallies);
        double clientCpu = clients.cpuSeconds() - cpuBegin;
        record(round, side, mix, rates, clientCpu, meter.usedNanos() / 1e9, traffic.end(rates.seconds()));
        return rates;
    }

    private void record(
            int round,
            String side,
            Mix mix,
            MixRates rates,
            double clientCpuSeconds,
            double serverCpuSeconds,
            VolumeTraffic.Rates byVolume) {
        results.row(
                round,
                side.startsWith(TATAMI) ? TATAMI : side,
                side.startsWith(TATAMI) ? MixFigure.volumes(side) : "",
                mix.readers(),
                mix.writers(),
                String.format("%.3f", rates.seconds()),
                String.format("%.0f", rates.read()),
                String.format("%.0f", rates.write()),
                String.format("%.2f", rates.slowestReaderShare()),
                String.format("%.2f", rates.slowestWriterShare()),
                String.format("%.0f", rates.longestReadMillis()),
                String.format("%.3f", clientCpuSeconds * 1e3 / rates.megabytes()),
                String.format("%.3f", serverCpuSeconds * 1e3 / rates.megabytes()),
                byVolume.read(),
                byVolume.write());
        new MixFigure(side).put(mix, rates, byVolume, figures);
    }
}
