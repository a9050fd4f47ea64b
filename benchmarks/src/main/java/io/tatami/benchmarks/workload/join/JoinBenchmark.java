package io.tatami.benchmarks.workload.join;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import io.tatami.server.lab.LabSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code tatami bench join}: see {@link JoinRounds} and {@link BlockJoinRounds}. */
@Command(
        name = "join",
        mixinStandardHelpOptions = true,
        description = "How long it takes until a server that is added under load has its share, and what clients get"
                + " meanwhile.")
public final class JoinBenchmark extends RoundsCommand {
    @ArgGroup(multiplicity = "1")
    private Joining joining = new Joining();

    /** What is added. */
    static final class Joining {
        @Option(names = "--metadata", required = true, description = "A metadata server is added.")
        boolean metadata;

        @Option(names = "--blocks", required = true, description = "A block server is added. For root.")
        boolean blocks;
    }

    @Mixin
    private JoinOptions options = new JoinOptions();

    @Mixin
    private BlockJoinOptions blockOptions = new BlockJoinOptions();

    public JoinBenchmark() {
        super("join-metadata", JoinRounds.COLUMNS, 3);
    }

    @Override
    protected RawFigures rawFigures() {
        return joining.blocks ? new RawFigures("join-blocks", BlockJoinRounds.COLUMNS) : super.rawFigures();
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        if (joining.blocks) {
            measureBlocks(rounds, work, undo, results);
        } else {
            measureMetadata(rounds, work, undo, results);
        }
        return true;
    }

    private void measureBlocks(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        if (!LabSpec.isRoot()) {
            throw new TatamiException(ErrorCode.UNSUPPORTED, "loop devices and traces are for root alone; be root");
        }
        results.remark(String.format(
                "%d block servers have %d MiB each, and one more takes over blocks by %s; %d clients write and read"
                        + " %.0f MB/s each; seconds end when the last copy counts",
                blockOptions.copies,
                options.fillMebibytes,
                blockOptions.by,
                options.clients,
                blockOptions.clientMegabytes));
        BlockJoinRounds blocks = new BlockJoinRounds(options, blockOptions, rounds, work, undo, results);
        Rounds figures = blocks.run();
        figures.medians().forEach(results::remark);
        for (BlockJoinRounds.Way way : blocks.ways()) {
            compare(
                    way.of("written meanwhile to before"),
                    way.of(BlockJoinRounds.WRITES),
                    way.of(BlockJoinRounds.WRITES_BEFORE),
                    figures,
                    results);
            compare(
                    way.of("read meanwhile to before"),
                    way.of(BlockJoinRounds.READS),
                    way.of(BlockJoinRounds.READS_BEFORE),
                    figures,
                    results);
            BlockJoinRounds.Way first = new BlockJoinRounds.Way(way.blockSize(), blockOptions.batches.get(0));
            if (!way.equals(first)) {
                compare(
                        "blocks of " + way.blockSize() + ", seconds of " + way.batchMax() + " finished together to "
                                + first.batchMax(),
                        way.of(BlockJoinRounds.SECONDS),
                        first.of(BlockJoinRounds.SECONDS),
                        figures,
                        results);
            }
        }
    }

    private static void compare(String what, String over, String under, Rounds figures, Results results) {
        results.remark(what + " " + Rounds.describe(figures.ratios(over, under)));
    }

    private void measureMetadata(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        results.remark("clients create and close empty files the whole time; three metadata servers hold every group,"
                + " and a fourth is started and added; rate is tatami.metadata.move.rate, flush is"
                + " tatami.meta.raft.snapshot.flush");
        Rounds figures = new JoinRounds(options, rounds, work, undo, results).run();
        figures.medians().forEach(results::remark);
        List<JoinRounds.Way> ways = JoinRounds.Way.all(options);
        for (JoinRounds.Way way : ways) {
            results.remark(way.of("creates while replicas move to creates before ")
                    + Rounds.describe(figures.ratios(way.of(JoinRounds.RATE), way.of(JoinRounds.RATE_BEFORE))));
        }
        for (String rate : options.rates) {
            compareFlushes(rate, figures, results);
        }
    }

    /** The first of them is compared with the others. */
    private void compareFlushes(String rate, Rounds figures, Results results) throws IOException {
        JoinRounds.Way first = new JoinRounds.Way(rate, options.flushes.get(0));
        for (String flush : options.flushes.subList(1, options.flushes.size())) {
            JoinRounds.Way other = new JoinRounds.Way(rate, flush);
            for (String what : List.of(JoinRounds.SECONDS, JoinRounds.RATE, JoinRounds.LONGEST)) {
                results.remark("rate " + rate + ", " + what + ", flush " + first.flush() + " to " + flush + " "
                        + Rounds.describe(figures.ratios(first.of(what), other.of(what))));
            }
        }
    }
}
