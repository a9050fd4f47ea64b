package io.tatami.benchmarks.list;

import io.tatami.benchmarks.Results;
import io.tatami.benchmarks.RoundOptions;
import io.tatami.benchmarks.Rounds;
import io.tatami.benchmarks.RunPlace;
import io.tatami.benchmarks.peer.Undo;
import java.nio.file.Files;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tatami bench list}: see {@link ListRounds}. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description = "Lists a directory of many files by pages: the rate of each tenth, and of the last to the first.")
public final class ListBenchmark implements Callable<Integer> {
    @Mixin
    private ListOptions options = new ListOptions();

    @Mixin
    private RunPlace place = new RunPlace();

    @Mixin
    private RoundOptions rounds = new RoundOptions(3);

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(place.work());
        Undo undo = new Undo();
        try (Results results = new Results(place.results(), "list", ListRounds.COLUMNS)) {
            results.remark(options.files + " empty files in one directory, made once by " + options.clients
                    + " clients; each round one client reads all pages");
            Rounds figures = new ListRounds(options, rounds.rounds(), place.work(), undo, results).run();
            figures.medians().forEach(results::remark);
            results.remark("last tenth to first tenth "
                    + Rounds.describe(figures.ratios(ListRounds.tenth(ListRounds.TENTHS), ListRounds.tenth(1))));
            results.remark("raw figures: " + results.file());
        } finally {
            undo.run();
        }
        return 0;
    }
}
