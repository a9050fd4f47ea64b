package io.tatami.benchmarks.workload.resting;

import io.tatami.benchmarks.harness.client.ClientProcesses;
import io.tatami.benchmarks.harness.host.ProcessMemory;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.PeerOptions;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code tatami bench resting}: one stream by itself and beside writers that rest, in turns of one round. In the end
 * each of those writes some more, and closes its file.
 */
@Command(
        name = "resting",
        mixinStandardHelpOptions = true,
        description = "The rate of one stream by itself, and beside many writers whose files are open and that write"
                + " nothing; --copies 3 for chains of three servers.")
public final class RestingBenchmark extends RoundsCommand {
    private static final List<String> COLUMNS =
            List.of("round", "resting", "mib_per_s", "open_s", "end_s", "rss_max_mib");
    private static final int PROCESSES = 4;
    private static final ClientProcesses.Kind RESTING = new ClientProcesses.Kind(RestingWorker.class, 1, "512m");
    private static final int MEBIBYTE = 1 << 20;

    /** Beside the stream and the resting files: blocks of 256 MiB are granted ahead, and deleted ones linger. */
    private static final long SPARE_MEBIBYTES = 6_144;

    /** Until a stream that stands still has given its memory back, and no other stream of its process wanted it. */
    private static final long REST_SECONDS = 30;

    @Mixin
    private PeerOptions peers = new PeerOptions();

    @Option(names = "--writers", description = "That rest, in four processes (default: ${DEFAULT-VALUE}).")
    private int writers = 4_096;

    @Option(names = "--mebibytes", description = "Of the stream (default: ${DEFAULT-VALUE}).")
    private int mebibytes = 2_048;

    private final Rounds figures = new Rounds();
    private final Progress progress = new Progress();

    public RestingBenchmark() {
        super("resting", COLUMNS, 3);
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        Path directory = work.resolve("resting");
        try (Peer peer = Peers.startInUse("tatami", directory, capacityMebibytes(), peers.copies(), undo);
                FileSystem fs = FileSystem.newInstance(peer.configuration());
                ClientProcesses resting = new ClientProcesses(
                        RESTING, PROCESSES, peer.configuration(), work.resolve("resting-clients"))) {
            stream(fs);
            RoundTurns turns = results.turns(rounds.rounds(), 1);
            for (int round = 1; round <= rounds.rounds(); round++) {
                turns.next();
                measure(round, peer, fs, resting, results);
                figures.keep();
            }
        }
        figures.medians().forEach(results::remark);
        results.remark("beside " + writers + " resting writers the stream has "
                + Rounds.describe(figures.ratios("beside, MiB/s", "alone, MiB/s")) + " of its rate");
        return true;
    }

    private void measure(int round, Peer peer, FileSystem fs, ClientProcesses resting, Results results)
            throws IOException, InterruptedException {
        double alone = stream(fs);
        figures.put("alone, MiB/s", alone);
        results.row(round, 0, text(alone), "", "", text(residentMebibytes(peer)));
        progress.tell("round %d: %.0f MiB/s alone; %d writers are opened", round, alone, writers);
        long begin = System.nanoTime();
        resting.run(RestingWorker.OPEN + " " + writers / PROCESSES);
        double openSeconds = seconds(begin);
        TimeUnit.SECONDS.sleep(REST_SECONDS);
        double beside = stream(fs);
        figures.put("beside, MiB/s", beside);
        progress.tell("round %d: %.0f MiB/s beside them", round, beside);
        begin = System.nanoTime();
        resting.run(RestingWorker.END);
        results.row(
                round, writers, text(beside), text(openSeconds), text(seconds(begin)), text(residentMebibytes(peer)));
    }

    /** Room enough that the stream beside the writers gets whole blocks, as the one alone does. */
    private long capacityMebibytes() {
        return 2L * mebibytes + writers + SPARE_MEBIBYTES;
    }

    private static String text(double figure) {
        return String.format("%.1f", figure);
    }

    private static double seconds(long beginNanos) {
        return (System.nanoTime() - beginNanos) / 1e9;
    }

    /** The most that one server's process has held. */
    private static double residentMebibytes(Peer peer) throws IOException {
        long most = 0;
        for (ProcessHandle server : peer.servers()) {
            most = Math.max(most, ProcessMemory.of(server.pid()).residentPeakBytes());
        }
        return (double) most / MEBIBYTE;
    }

    private double stream(FileSystem fs) throws IOException {
        org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path("/stream");
        byte[] bytes = new byte[MEBIBYTE];
        long begin = System.nanoTime();
        try (FSDataOutputStream out = fs.create(file, true)) {
            for (int i = 0; i < mebibytes; i++) {
                out.write(bytes);
            }
        }
        double rate = mebibytes / seconds(begin);
        fs.delete(file, false);
        return rate;
    }
}
