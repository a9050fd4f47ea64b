package io.tatami.benchmarks.workload.ior;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.server.lab.Lab;
import io.tatami.server.lab.LabSpec;
import io.tatami.server.lab.host.DiskRate;
import io.tatami.server.lab.host.LinkRate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * In each round a lab for each number of servers, in random order. In a lab each server is measured alone, one after
 * the other, with each size of transfer: one writer, on the server's own node, whose file is placed there by the rule
 * of the first copy, and as many bytes as the volume can write in the time of a cell. Then come the cells, in random
 * order. Their writers are on the same nodes in turns. Their files are placed, and their bytes go over TCP, as those of
 * clients on no server's host, so that what decides is how evenly the cluster spreads files; or all is as on the node,
 * as it is for the writers alone, with {@code --local}. The volumes are the limit either way.
 *
 * <p>A file has one copy, and one block up to 1 GiB; the bytes of all files count, and the time until the last of them
 * is closed, and so durable. The last server that has something to write decides, as in IOR without a deadline. All
 * servers and clients share this machine: a measurement in which the cores were busy is void, and a sum with what has a
 * void part, or a file that was not placed as meant.
 */
final class IorRounds {
    static final List<String> COLUMNS = List.of(
            "round",
            "servers",
            "transfer",
            "writers",
            "on",
            "mb",
            "seconds",
            "mb_per_s",
            "sum_mb_per_s",
            "ratio",
            "skew",
            "cores_percent",
            "is_void");

    private static final double MEGA = 1e6;
    private static final int SHARDS = 2;
    private static final int WARM_UP_SECONDS = 2;

    /** Beside the files: the superblock, the regions that blocks begin in, and the room that credits stand for. */
    private static final long SPARE_BYTES = 1L << 30;

    private static final List<String> SETTINGS = List.of("-Dtatami.block.heartbeat=1s");

    private final IorOptions options;
    private final Path work;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();
    private final Progress progress = new Progress();

    IorRounds(IorOptions options, Path work, Undo undo, Results results) {
        this.options = options;
        this.work = work;
        this.undo = undo;
        this.results = results;
    }

    Rounds run(RoundOptions rounds) throws IOException, InterruptedException {
        Random random = rounds.random();
        RoundTurns turns = results.turns(rounds.rounds(), options.servers.size());
        for (int round = 1; round <= rounds.rounds(); round++) {
            List<Integer> counts = new ArrayList<>(options.servers);
            Collections.shuffle(counts, random);
            for (int servers : counts) {
                turns.next();
                inLab(round, servers, random);
            }
            figures.keep();
        }
        return figures;
    }

    private void inLab(int round, int servers, Random random) throws IOException, InterruptedException {
        List<IorCell> cells = new ArrayList<>();
        for (ByteSize transfer : options.transfers) {
            options.writers.forEach(writers -> cells.add(new IorCell(servers, writers, transfer)));
        }
        Collections.shuffle(cells, random);
        Path directory = work.resolve("ior");
        undo.add(() -> Lab.remove(directory));
        LabSpec spec = LabSpec.of(directory, new LabSpec.Shape(servers, 1, 1, SHARDS), capacityBytes(cells))
                .withLimits(LinkRate.UNLIMITED, new DiskRate(options.diskRate.bytes()))
                .withJavaOptions(SETTINGS);
        progress.tell("round %d: a lab of %d nodes", round, servers);
        Lab lab = Lab.up(spec);
        try (IorClients clients = new IorClients(lab, Files.createDirectories(work.resolve("ior-clients")), progress)) {
            warmUp(clients);
            Map<ByteSize, Double> sums = new HashMap<>();
            for (ByteSize transfer : options.transfers) {
                sums.put(transfer, alone(round, transfer, clients));
            }
            for (IorCell cell : cells) {
                together(round, cell, sums.getOrDefault(cell.transfer(), Double.NaN), clients);
            }
        }
        Lab.remove(directory);
    }

    /** Of each volume, for all files of a lab, though deleted ones go in time and some servers get twice the mean. */
    private long capacityBytes(List<IorCell> cells) {
        long bytes = SPARE_BYTES + 2L * options.transfers.size() * volumeBytes(options.seconds);
        for (IorCell cell : cells) {
            long blockBytes = IorCell.blockBytes(cell.fileBytes(volumeBytes(options.seconds)));
            bytes += 2 * blockBytes * Math.max(1, cell.writers() / cell.servers());
        }
        return bytes;
    }

    private long volumeBytes(int seconds) {
        return (long) options.diskRate.bytes() * seconds;
    }

    /** Each process writes to its own server, and to others. */
    private void warmUp(IorClients clients) throws IOException, InterruptedException {
        progress.tell("%d clients warm up", clients.count());
        for (ByteSize transfer : options.transfers) {
            IorCell cell = new IorCell(clients.count(), clients.count(), transfer);
            clients.together(cell, cell.fileBytes(volumeBytes(WARM_UP_SECONDS)), true);
            clients.together(cell, cell.fileBytes(volumeBytes(WARM_UP_SECONDS)), false);
        }
    }

    /** The sum of the servers' rates in MB/s; not a number where one of them is void. */
    private double alone(int round, ByteSize transfer, IorClients clients) throws IOException, InterruptedException {
        IorCell cell = new IorCell(clients.count(), 1, transfer);
        double sum = 0;
        boolean isVoid = false;
        for (int node = 0; node < clients.count(); node++) {
            IorClients.Written written = clients.alone(node, transfer, cell.fileBytes(volumeBytes(options.seconds)));
            boolean isElsewhere = written.byServer()[node] < written.bytes();
            row(round, cell, "alone on " + clients.host(node), written, Double.NaN, isElsewhere || isVoid(written));
            isVoid |= isElsewhere || isVoid(written);
            sum += written.megabytesPerSecond();
        }
        progress.tell(
                "%d servers, %s: the sum of each alone is %.1f MB/s%s",
                clients.count(), transfer, sum, isVoid ? "; void" : "");
        if (isVoid) {
            return Double.NaN;
        }
        figures.put(cell.sum(), sum);
        return sum;
    }

    /** @param sum not a number where it is void */
    private void together(int round, IorCell cell, double sum, IorClients clients)
            throws IOException, InterruptedException {
        IorClients.Written written =
                clients.together(cell, cell.fileBytes(volumeBytes(options.seconds)), options.isLocal);
        row(round, cell, "all", written, sum, isVoid(written));
        if (!isVoid(written)) {
            figures.put(cell.rate(), written.megabytesPerSecond());
            figures.put(cell.skew(), written.skew());
        }
        progress.tell(
                "%d servers, %s, %d writers: %.1f MB/s, skew %.2f%s",
                cell.servers(),
                cell.transfer(),
                cell.writers(),
                written.megabytesPerSecond(),
                written.skew(),
                isVoid(written) ? "; void" : "");
    }

    private boolean isVoid(IorClients.Written written) {
        return written.coresPercent() > options.coresPercentMax;
    }

    private void row(int round, IorCell cell, String on, IorClients.Written written, double sum, boolean isVoid) {
        results.row(
                round,
                cell.servers(),
                cell.transfer(),
                cell.writers(),
                on,
                String.format(Locale.ROOT, "%.1f", written.bytes() / MEGA),
                String.format(Locale.ROOT, "%.1f", written.seconds()),
                String.format(Locale.ROOT, "%.1f", written.megabytesPerSecond()),
                Double.isNaN(sum) ? "" : String.format(Locale.ROOT, "%.1f", sum),
                Double.isNaN(sum) ? "" : String.format(Locale.ROOT, "%.2f", written.megabytesPerSecond() / sum),
                String.format(Locale.ROOT, "%.2f", written.skew()),
                String.format(Locale.ROOT, "%.0f", written.coresPercent()),
                isVoid);
    }
}
