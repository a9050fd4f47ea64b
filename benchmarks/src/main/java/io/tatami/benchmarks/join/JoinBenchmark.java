package io.tatami.benchmarks.join;

import io.tatami.benchmarks.Results;
import io.tatami.benchmarks.RoundOptions;
import io.tatami.benchmarks.Rounds;
import io.tatami.benchmarks.RunPlace;
import io.tatami.benchmarks.peer.Undo;
import java.nio.file.Files;
import java.util.concurrent.Callable;
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
public final class JoinBenchmark implements Callable<Integer> {
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

    @Mixin
    private RunPlace place = new RunPlace();

    @Mixin
    private RoundOptions rounds = new RoundOptions(3);

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(place.work());
        Undo undo = new Undo();
        try (Results results = new Results(place.results(), "join-metadata", JoinRounds.COLUMNS)) {
            results.remark(
                    "clients create and close empty files the whole time; three metadata servers hold every group,"
                            + " and a fourth is started and added; rate is tatami.metadata.move.rate");
            Rounds figures = new JoinRounds(options, rounds, place.work(), undo, results).run();
            figures.medians().forEach(results::remark);
            for (String rate : options.rates) {
                results.remark(JoinRounds.of(rate, "creates while replicas move to creates before ")
                        + Rounds.describe(figures.ratios(
                                JoinRounds.of(rate, "creates/s while they move"),
                                JoinRounds.of(rate, "creates/s before"))));
            }
            results.remark("raw figures: " + results.file());
        } finally {
            undo.run();
        }
        return 0;
    }
}
