package io.tatami.benchmarks.join;

import io.tatami.benchmarks.Results;
import io.tatami.benchmarks.RoundOptions;
import io.tatami.benchmarks.Rounds;
import io.tatami.benchmarks.RoundsCommand;
import io.tatami.benchmarks.peer.Undo;
import java.nio.file.Path;
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
                + " and a fourth is started and added; rate is tatami.metadata.move.rate");
        Rounds figures = new JoinRounds(options, rounds, work, undo, results).run();
        figures.medians().forEach(results::remark);
        for (String rate : options.rates) {
            results.remark(JoinRounds.of(rate, "creates while replicas move to creates before ")
                    + Rounds.describe(figures.ratios(
                            JoinRounds.of(rate, "creates/s while they move"),
                            JoinRounds.of(rate, "creates/s before"))));
        }
        return true;
    }
}
