package io.tatami.benchmarks.workload.stream;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.PeerOptions;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RunPlace;
import io.tatami.benchmarks.workload.scan.ScanOptions;
import io.tatami.benchmarks.workload.scan.ScanRuns;
import java.nio.file.Files;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tatami bench stream}: {@link StreamRounds}, {@link MixRounds} and {@link ScanRuns}. */
@Command(
        name = "stream",
        mixinStandardHelpOptions = true,
        description =
                "Sequential writers and readers, one and many; readers beside writers, on one volume and on two; and the"
                        + " scan of one large file on ext4, XFS and Tatami on loop devices, which needs root; beside"
                        + " HDFS with --vs hdfs.")
public final class StreamBenchmark implements Callable<Integer> {
    @Mixin
    private PeerOptions peers = new PeerOptions();

    @Option(names = "--only", split = ",", description = "Default all: ${COMPLETION-CANDIDATES}.")
    private Set<Part> only = EnumSet.allOf(Part.class);

    @Mixin
    private StreamOptions streams = new StreamOptions();

    @Mixin
    private MixOptions mixes = new MixOptions();

    @Mixin
    private ScanOptions scan = new ScanOptions();

    @Mixin
    private RunPlace place = new RunPlace();

    @Mixin
    private RoundOptions rounds = new RoundOptions(5);

    /** The three things it measures. */
    private enum Part {
        STREAMS,
        MIXED,
        SCAN
    }

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(place.work());
        Undo undo = new Undo();
        try {
            if (only.contains(Part.STREAMS)) {
                runStreams(undo);
            }
            if (only.contains(Part.MIXED)) {
                runMixes(undo);
            }
            if (only.contains(Part.SCAN)) {
                runScan(undo);
            }
        } finally {
            undo.run();
        }
        return 0;
    }

    private void runStreams(Undo undo) throws Exception {
        try (Results results = new Results(place.results(), "stream", StreamRounds.COLUMNS)) {
            Rounds figures = new StreamRounds(streams, peers, rounds, place.work(), undo, results).run();
            new StreamSummary(figures, streams.streamCounts, peers.versus())
                    .lines()
                    .forEach(results::remark);
            results.remark("raw figures: " + results.file());
        }
    }

    private void runMixes(Undo undo) throws Exception {
        try (Results results = new Results(place.results(), "mixed", MixRounds.COLUMNS)) {
            new MixRounds(streams, mixes, peers.names(), rounds, place.work(), undo, results)
                    .run()
                    .medians()
                    .forEach(results::remark);
            results.remark("raw figures: " + results.file());
        }
    }

    private void runScan(Undo undo) throws Exception {
        try (Results results = new Results(place.results(), "scan", ScanRuns.COLUMNS)) {
            new ScanRuns(scan, peers.versus(), place.work(), rounds.random(), undo, results).run();
            results.remark("raw figures: " + results.file());
        }
    }
}
