package io.tatami.benchmarks.workload.join;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code tatami bench join --metadata}: see {@link JoinRounds}. */
@Command(
        name = "join",
        mixinStandardHelpOptions = true,
        description = "How long it takes until a server that is added under load has its share, and what clients get"
                + " meanwhile.")
public final class JoinBenchmark extends RoundsCommand {
    @Spec
    private CommandSpec spec;

    @Option(names = "--metadata", required = true, description = "A metadata server is added.")
    void setMetadata(boolean metadata) {
        if (!metadata) {
            throw new ParameterException(spec.commandLine(), "say what joins: --metadata");
        }
    }

    @Mixin
    private JoinOptions options = new JoinOptions();

    public JoinBenchmark() {
        super("join-metadata", JoinRounds.COLUMNS, 3);
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
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
        return true;
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
