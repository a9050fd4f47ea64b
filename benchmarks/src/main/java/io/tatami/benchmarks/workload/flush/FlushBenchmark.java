package io.tatami.benchmarks.workload.flush;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.host.WorkerProcess;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.PeerOptions;
import io.tatami.benchmarks.harness.peer.PeerOrder;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code tatami bench flush}: writers of logs, each with a file of its own, that append a record and flush it before
 * they go on. A flushed record of Tatami survives a power cut with either call; HDFS's is in a DataNode's memory after
 * {@code hflush} and on its disk after {@code hsync}.
 */
@Command(
        name = "flush",
        mixinStandardHelpOptions = true,
        description = "Records that are each flushed with hflush or hsync before the next, by one writer and by many;"
                + " beside HDFS with --vs hdfs.")
public final class FlushBenchmark extends RoundsCommand {
    private static final List<String> COLUMNS = List.of(
            "round",
            "peer",
            "call",
            "record_bytes",
            "writers",
            "records_per_s",
            "median_ms",
            "percentile_99_ms",
            "max_ms");

    /** Of the volume, in MiB; more than is written in any turn. */
    private static final long CAPACITY_MEBIBYTES = 8_192;

    @Mixin
    private PeerOptions peers = new PeerOptions();

    @Option(
            names = "--records",
            split = ",",
            paramLabel = "BYTES",
            description = "Lengths of records (default: ${DEFAULT-VALUE}).")
    private List<Integer> records = List.of(100, 10_000);

    @Option(names = "--writers", split = ",", description = "How many at once (default: ${DEFAULT-VALUE}).")
    private List<Integer> writers = List.of(1, 16);

    @Option(names = "--calls", split = ",", description = "Default all: ${COMPLETION-CANDIDATES}.")
    private List<FlushCall> calls = Arrays.asList(FlushCall.values());

    @Option(names = "--seconds", description = "Of each setting (default: ${DEFAULT-VALUE}).")
    private int seconds = 5;

    @Option(
            names = "--warm-up-seconds",
            description = "All settings, unmeasured, after each start (default: ${DEFAULT-VALUE}).")
    private int warmUpSeconds = 20;

    private final Rounds figures = new Rounds();

    public FlushBenchmark() {
        super("flush", COLUMNS, 3);
    }

    /** What is measured at once. */
    private record Setting(FlushCall call, int recordBytes, int writers) {
        String of(String peer) {
            return call.name().toLowerCase(Locale.ROOT) + " of " + recordBytes + " bytes by " + writers + " " + peer;
        }
    }

    private List<Setting> settings() {
        return calls.stream()
                .flatMap(call -> records.stream()
                        .flatMap(bytes -> writers.stream().map(count -> new Setting(call, bytes, count))))
                .toList();
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        PeerOrder order = new PeerOrder(peers.names(), rounds.random());
        RoundTurns turns = results.turns(rounds.rounds(), order.size());
        for (int round = 1; round <= rounds.rounds(); round++) {
            for (String peer : order.next()) {
                turns.next();
                measure(round, peer, work.resolve("flush-" + peer), undo, results);
            }
            figures.keep();
        }
        figures.medians().forEach(line -> results.remark(line + " records/s"));
        for (Setting setting : settings()) {
            List<Double> ratios = figures.ratios(setting.of("tatami"), setting.of(peers.versus()));
            if (!ratios.isEmpty()) {
                results.remark(setting.of("") + ": Tatami is " + Rounds.describe(ratios) + " times " + peers.versus());
            }
        }
        return true;
    }

    private void measure(int round, String name, Path directory, Undo undo, Results results) throws Exception {
        List<Setting> settings = settings();
        try (Peer peer = Peers.startInUse(name, directory, CAPACITY_MEBIBYTES, undo);
                WorkerProcess worker = new WorkerProcess(
                        FlushWorker.class,
                        "1g",
                        peer.configuration(),
                        directory.resolve("client"),
                        Integer.toString(Collections.max(writers)))) {
            worker.awaitReady();
            for (Setting setting : settings) {
                run(worker, setting, TimeUnit.SECONDS.toMillis(warmUpSeconds) / settings.size());
            }
            for (Setting setting : settings) {
                List<String> outcome = run(worker, setting, TimeUnit.SECONDS.toMillis(seconds));
                double rate = Double.parseDouble(outcome.get(0)) / seconds;
                results.row(
                        round,
                        name,
                        setting.call,
                        setting.recordBytes,
                        setting.writers,
                        String.format("%.0f", rate),
                        millis(outcome.get(1)),
                        millis(outcome.get(2)),
                        millis(outcome.get(3)));
                figures.put(setting.of(name), rate);
            }
        }
    }

    private static List<String> run(WorkerProcess worker, Setting setting, long millis) throws IOException {
        worker.tell(setting.call + " /flush " + setting.writers + " " + setting.recordBytes + " " + millis);
        return worker.awaitDone();
    }

    private static String millis(String figure) {
        return String.format("%.3f", Double.parseDouble(figure));
    }
}
