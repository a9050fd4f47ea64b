package io.tatami.benchmarks.workload.heal;

import io.tatami.benchmarks.harness.client.NodeProcess;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabNode;
import io.tatami.server.lab.LabRole;
import io.tatami.server.lab.LabSpec;
import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * In each round a block server of a new lab dies, once without readers and once beside them. The time counts from when
 * its blocks are to be copied, {@code tatami.copies.lost-after} behind its being dead, until every block has its
 * copies. The ceiling is what the volumes that are left can write. Each node writes a part of the files: the first
 * copies of one node's files are all there, and that node could take no other.
 */
final class HealRounds {
    static final List<String> COLUMNS = List.of(
            "round",
            "readers",
            "copied_mb",
            "seconds",
            "mb_per_s",
            "ceiling_mb_per_s",
            "readers_alone_mb_per_s",
            "readers_beside_mb_per_s");

    private static final double MEGA = 1e6;
    private static final long LOST_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final List<String> SETTINGS = List.of(
            "-Dtatami.block.copy.rate=0",
            "-Dtatami.block.credit.size=16m",
            "-Dtatami.block.heartbeat=1s",
            "-Dtatami.copies.lost-after=1s");
    private static final long READY_SECONDS = 120;
    private static final long COMMAND_SECONDS = 1_200;
    private static final long POLL_MILLIS = 100;
    private static final long ALONE_SECONDS = 10;
    private static final int SHARDS = 2;

    private final HealOptions options;
    private final Path work;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();
    private final Progress progress = new Progress();

    HealRounds(HealOptions options, Path work, Undo undo, Results results) {
        this.options = options;
        this.work = work;
        this.undo = undo;
        this.results = results;
    }

    Rounds run(int rounds) throws IOException, InterruptedException {
        RoundTurns turns = results.turns(rounds, 2);
        for (int round = 1; round <= rounds; round++) {
            turns.next();
            inLab(round, 0);
            turns.next();
            inLab(round, options.readers);
            figures.keep();
        }
        return figures;
    }

    private void inLab(int round, int readers) throws IOException, InterruptedException {
        Path directory = work.resolve("heal");
        undo.add(() -> Lab.remove(directory));
        long capacity = ((4L * options.mebibytes) << 20) / options.nodes + (1L << 30);
        LabSpec spec = LabSpec.of(directory, new LabSpec.Shape(options.nodes, 1, 1, SHARDS), capacity)
                .withLimits(LinkRate.UNLIMITED, DiskRate.parse(options.diskMegabytes + "MB"))
                .withJavaOptions(SETTINGS);
        progress.tell("round %d, %d readers: a lab of %d nodes", round, readers, options.nodes);
        Lab lab = Lab.up(spec);
        Path logs = Files.createDirectories(work.resolve("heal-clients"));
        progress.tell("%d MiB are written, three times", options.mebibytes);
        for (LabNode node : lab.nodes()) {
            try (NodeProcess client = client(lab, node, logs)) {
                client.ask("write " + node.name() + " " + options.mebibytes / options.nodes, COMMAND_SECONDS);
            }
        }
        try (NodeProcess client = client(lab, lab.nodes().get(0), logs)) {
            measure(round, readers, lab, client);
        }
        Lab.remove(directory);
    }

    private NodeProcess client(Lab lab, LabNode node, Path logs) throws IOException, InterruptedException {
        List<String> words = List.of(Integer.toString(options.blockMebibytes << 20));
        NodeProcess client = new NodeProcess(lab, node, HealClient.class, logs, progress::tell, words);
        client.answer("ready", READY_SECONDS);
        return client;
    }

    private void measure(int round, int readers, Lab lab, NodeProcess client) throws IOException, InterruptedException {
        LabNode victim = lab.nodes().get(options.nodes - 1);
        double lost = Long.parseLong(client.ask("bytes-of " + victim.name(), COMMAND_SECONDS)) / MEGA;
        double alone = 0;
        if (readers > 0) {
            long rate = (long) (options.nodes - 1) * options.diskMegabytes * 1_000_000L / 2;
            client.ask("read " + readers + " " + rate, COMMAND_SECONDS);
            alone = readRate(client);
        }
        lab.kill(victim, List.of(LabRole.BLOCK));
        progress.tell("%s is dead, with %.0f MB", victim.name(), lost);
        while (!client.ask("state " + victim.name(), COMMAND_SECONDS).equals("DEAD")) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        long beginNanos = System.nanoTime() + LOST_AFTER_NANOS;
        long readBefore = read(client);
        while (!client.ask("under", COMMAND_SECONDS).equals("0")) {
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        double seconds = (System.nanoTime() - beginNanos) / 1e9;
        double beside = (read(client) - readBefore) / MEGA / (seconds + LOST_AFTER_NANOS / 1e9);
        row(round, readers, lost, seconds, alone, beside);
    }

    private void row(int round, int readers, double lost, double seconds, double alone, double beside) {
        double ceiling = (double) (options.nodes - 1) * options.diskMegabytes;
        results.row(
                round,
                readers,
                String.format("%.0f", lost),
                String.format("%.1f", seconds),
                String.format("%.0f", lost / seconds),
                String.format("%.0f", ceiling),
                String.format("%.0f", alone),
                String.format("%.0f", beside));
        figures.put(readers == 0 ? "of the ceiling" : "of the ceiling, beside readers", lost / seconds / ceiling);
        if (readers > 0) {
            figures.put("of the readers' rate alone, beside healing", beside / alone);
        }
    }

    private static long read(NodeProcess client) throws IOException, InterruptedException {
        return Long.parseLong(client.ask("read-bytes", COMMAND_SECONDS));
    }

    /** In MB/s. */
    private static double readRate(NodeProcess client) throws IOException, InterruptedException {
        TimeUnit.SECONDS.sleep(2);
        long before = read(client);
        TimeUnit.SECONDS.sleep(ALONE_SECONDS);
        return (read(client) - before) / MEGA / ALONE_SECONDS;
    }
}
