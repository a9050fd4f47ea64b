package io.tatami.benchmarks.workload.dfsio;

import io.tatami.benchmarks.harness.host.DeviceCeiling;
import io.tatami.benchmarks.harness.host.PageCache;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.CeilingRounds;
import io.tatami.benchmarks.harness.peer.CpuMeter;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.PeerOptions;
import io.tatami.benchmarks.harness.peer.PeerOrder;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.peer.TatamiPeer;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RunPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code tatami bench dfsio}: Hadoop's TestDFSIO, write, cold read and warm read. A round is the ceiling of the disk,
 * each peer started anew in random order, the ceiling again; a round whose ceilings differ by more than
 * {@value DeviceCeiling#SPREAD_MAX} is left out of the medians. A write's rate counts until the bytes are on the
 * device: for HDFS, which acknowledges from the page cache, also with the time of the sync that follows.
 */
@Command(
        name = "dfsio",
        mixinStandardHelpOptions = true,
        description = "Hadoop's TestDFSIO: write, cold and warm read, beside HDFS with --vs hdfs.")
public final class DfsioBenchmark implements Callable<Integer> {
    private static final List<String> COLUMNS = List.of(
            "round",
            "peer",
            "workload",
            "mebibytes",
            "map_seconds",
            "job_seconds",
            "sync_seconds",
            "throughput_mb_per_s",
            "job_mb_per_s",
            "client_cpu_s_per_gb",
            "server_cpu_s_per_gb");

    @Mixin
    private PeerOptions peers = new PeerOptions();

    @Option(names = "--files", description = "How many at once (default: ${DEFAULT-VALUE}).")
    private int files = 2;

    @Option(names = "--size", paramLabel = "MIB", description = "MiB of each file (default: ${DEFAULT-VALUE}).")
    private int mebibytes = 1024;

    @Option(
            names = "--warm-up",
            paramLabel = "MIB",
            description = "MiB of each file written and read before, unmeasured (default: ${DEFAULT-VALUE}).")
    private int warmUpMebibytes = 2048;

    @Option(
            names = "--memory-tier",
            paramLabel = "MIB",
            description =
                    "Give Tatami's server a cache tier of this size in memory, and have the files staged there before the"
                            + " warm read, unmeasured, as the cold read has put them into the page cache for HDFS. Must hold the"
                            + " files; TATAMI_OPTS=-XX:MaxDirectMemorySize=... of a gigabyte more (default: none).")
    private int tierMebibytes;

    @Mixin
    private RoundOptions rounds = new RoundOptions(5);

    @Mixin
    private RunPlace place = new RunPlace();

    /** Rates in MB/s, by workload and peer. */
    private final Rounds figures = new Rounds();

    @Override
    public Integer call() throws Exception {
        if (tierMebibytes > 0 && tierMebibytes < files * mebibytes) {
            System.err.println("tatami: --memory-tier must hold all files: at least " + files * mebibytes);
            return CommandLine.ExitCode.USAGE;
        }
        PeerOrder order = new PeerOrder(peers.names(), rounds.random());
        Files.createDirectories(place.work());
        Undo undo = new Undo();
        try (Results results = new Results(place.results(), "dfsio", COLUMNS)) {
            results.remark("TestDFSIO " + files + " x " + mebibytes + " MiB, Hadoop's local runner, " + peers.copies()
                    + " copies"
                    + (tierMebibytes > 0 ? "; warm reads from a cache tier of " + tierMebibytes + " MiB in memory" : "")
                    + (PageCache.canBeDropped() ? "" : "; no cold reads: only root can empty the page cache"));
            CeilingRounds.Recorder recorder =
                    (round, direction, rate) -> recordCeiling(round, direction, rate, results);
            new CeilingRounds(place.work(), files * mebibytes, recorder, figures, results)
                    .run(rounds.rounds(), order, undo, (round, peer) -> measure(round, peer, undo, results));
            summarize(results);
        } finally {
            undo.run();
        }
        return 0;
    }

    private void recordCeiling(int round, String direction, double rate, Results results) {
        String text = String.format("%.0f", rate);
        results.row(round, "device", direction, files * mebibytes, "", "", "", text, text, "", "");
        figures.putGreatest(direction.equals("write") ? "write device" : "cold-read device", rate);
    }

    private void measure(int number, String name, Undo undo, Results results) throws Exception {
        Path directory = place.work().resolve("dfsio-" + name);
        long capacity = files * (mebibytes + warmUpMebibytes) + 2048L;
        boolean hasTier = tierMebibytes > 0 && name.equals("tatami");
        List<String> tier = List.of("--cache", "memory", "--cache-size", tierMebibytes + "m");
        try (Peer peer = hasTier
                        ? Peers.inTurn(directory, undo, () -> TatamiPeer.startInUse(directory, capacity, tier))
                        : Peers.startInUse(name, directory, capacity, peers.copies(), undo);
                DfsioClient client = new DfsioClient(peer, files, directory.resolve("client"))) {
            client.run("write", warmUpMebibytes);
            client.run("read", warmUpMebibytes);
            client.clean();
            PageCache.sync(place.work());
            measure(number, peer, client, "write", results);
            if (PageCache.canBeDropped()) {
                PageCache.drop();
                measure(number, peer, client, "cold-read", results);
            }
            if (hasTier) {
                StagedFiles.await(peer);
            }
            measure(number, peer, client, "warm-read", results);
        }
    }

    private void measure(int number, Peer peer, DfsioClient client, String workload, Results results)
            throws IOException, InterruptedException {
        CpuMeter meter = new CpuMeter(peer);
        boolean writes = workload.equals("write");
        DfsioClient.Outcome outcome = client.run(writes ? "write" : "read", mebibytes);
        double syncSeconds = writes ? PageCache.sync(place.work()) : 0;
        double megabytes = files * mebibytes * (double) (1 << 20) / 1e6;
        double throughput = megabytes / outcome.mapSeconds();
        double jobRate = megabytes / (outcome.jobSeconds() + syncSeconds);
        results.row(
                number,
                peer.name(),
                workload,
                files * mebibytes,
                String.format("%.3f", outcome.mapSeconds()),
                String.format("%.3f", outcome.jobSeconds()),
                String.format("%.3f", syncSeconds),
                String.format("%.0f", throughput),
                String.format("%.0f", jobRate),
                String.format("%.3f", outcome.cpuSeconds() * 1e3 / megabytes),
                String.format("%.3f", meter.usedNanos() / 1e6 / megabytes));
        figures.put(workload + " " + peer.name(), throughput);
        figures.put(workload + "-job-synced " + peer.name(), jobRate);
    }

    private void summarize(Results results) {
        for (String what : figures.subjects()) {
            results.remark(String.format("median %s %.0f MB/s", what, Results.median(figures.figures(what))));
        }
        for (String workload : List.of(
                "write",
                "write-job-synced",
                "cold-read",
                "cold-read-job-synced",
                "warm-read",
                "warm-read-job-synced")) {
            List<Double> ratios = figures.ratios(workload + " tatami", workload + " " + peers.versus());
            if (!ratios.isEmpty()) {
                results.remark(
                        String.format("%s: Tatami is %s times %s", workload, Rounds.describe(ratios), peers.versus()));
            }
        }
        results.remark("raw figures: " + results.file());
    }
}
