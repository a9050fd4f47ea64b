package io.tatami.benchmarks.dfsio;

import io.tatami.benchmarks.Results;
import io.tatami.benchmarks.Rounds;
import io.tatami.benchmarks.RunPlace;
import io.tatami.benchmarks.peer.CpuMeter;
import io.tatami.benchmarks.peer.DeviceCeiling;
import io.tatami.benchmarks.peer.PageCache;
import io.tatami.benchmarks.peer.Peer;
import io.tatami.benchmarks.peer.PeerOrder;
import io.tatami.benchmarks.peer.Peers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FileUtil;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code tatami bench dfsio}: Hadoop's TestDFSIO, write, cold read and warm read. A round is the ceiling of the disk, each
 * peer started anew in random order, the ceiling again; a round whose ceilings differ by more than
 * {@value DeviceCeiling#SPREAD_MAX} is left out of the medians. A write's rate counts until the bytes are on the device: for
 * HDFS, which acknowledges from the page cache, also with the time of the sync that follows.
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

    @Option(names = "--vs", paramLabel = "PEER", description = "hdfs: run the same on HDFS in every round.")
    private String versus = "";

    @Option(names = "--files", description = "How many at once (default: ${DEFAULT-VALUE}).")
    private int files = 2;

    @Option(names = "--size", paramLabel = "MIB", description = "MiB of each file (default: ${DEFAULT-VALUE}).")
    private int mebibytes = 1024;

    @Option(
            names = "--warm-up",
            paramLabel = "MIB",
            description = "MiB of each file written and read before, unmeasured (default: ${DEFAULT-VALUE}).")
    private int warmUpMebibytes = 2048;

    @Option(names = "--rounds", description = "How often everything is repeated (default: ${DEFAULT-VALUE}).")
    private int rounds = 5;

    @Mixin
    private RunPlace place = new RunPlace();

    @Option(names = "--seed", description = "Of the order of peers (default: ${DEFAULT-VALUE}).")
    private long seed = 1;

    /** Rates in MB/s, by workload and peer. */
    private final Rounds figures = new Rounds();

    @Override
    public Integer call() throws Exception {
        PeerOrder order = new PeerOrder(versus, seed);
        Files.createDirectories(place.work());
        DeviceCeiling ceiling = new DeviceCeiling(place.work(), files * mebibytes);
        boolean hasCeiling = DeviceCeiling.isAvailable();
        try (Results results = new Results(place.results(), "dfsio", COLUMNS)) {
            results.remark("TestDFSIO " + files + " x " + mebibytes + " MiB, Hadoop's local runner"
                    + (hasCeiling ? "" : "; no ceiling: there is no fio, and only root can install it")
                    + (PageCache.canBeDropped() ? "" : "; no cold reads: only root can empty the page cache"));
            for (int number = 1; number <= rounds; number++) {
                DeviceCeiling.Speed before = hasCeiling ? measureCeiling(number, ceiling, results) : null;
                for (String peer : order.next()) {
                    measure(number, peer, results);
                }
                if (before == null || before.isNear(measureCeiling(number, ceiling, results))) {
                    figures.keep();
                } else {
                    figures.leaveOut();
                    results.remark(DeviceCeiling.leftOut(number));
                }
            }
            ceiling.remove();
            summarize(results);
        }
        return 0;
    }

    private DeviceCeiling.Speed measureCeiling(int number, DeviceCeiling ceiling, Results results)
            throws IOException, InterruptedException {
        DeviceCeiling.Speed speed = ceiling.measure();
        String write = String.format("%.0f", speed.writeBytesPerSecond() / 1e6);
        String read = String.format("%.0f", speed.readBytesPerSecond() / 1e6);
        results.row(number, "device", "write", files * mebibytes, "", "", "", write, write, "", "");
        results.row(number, "device", "read", files * mebibytes, "", "", "", read, read, "", "");
        figures.putGreatest("write device", speed.writeBytesPerSecond() / 1e6);
        figures.putGreatest("cold-read device", speed.readBytesPerSecond() / 1e6);
        return speed;
    }

    private void measure(int number, String name, Results results) throws Exception {
        Path directory = place.work().resolve("dfsio-" + name);
        FileUtil.fullyDelete(directory.toFile());
        try (Peer peer = Peers.start(name, directory, (files * (mebibytes + warmUpMebibytes) + 2048L) + "m");
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
            List<Double> ratios = figures.ratios(workload + " tatami", workload + " " + versus);
            if (!ratios.isEmpty()) {
                results.remark(String.format("%s: Tatami is %s times %s", workload, Rounds.describe(ratios), versus));
            }
        }
        results.remark("raw figures: " + results.file());
    }
}
