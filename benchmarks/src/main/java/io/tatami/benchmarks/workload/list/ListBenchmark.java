package io.tatami.benchmarks.workload.list;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tatami bench list}: see {@link ListRounds}. */
@Command(
        name = "list",
        mixinStandardHelpOptions = true,
        description = "Lists a directory of many files by pages: the rate of each tenth, and of the last to the first.")
public final class ListBenchmark extends RoundsCommand {
    @Mixin
    private ListOptions options = new ListOptions();

    public ListBenchmark() {
        super("list", ListRounds.COLUMNS, 3);
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        results.remark(options.files + " empty files in one directory, made once by " + options.clients
                + " clients, over " + options.servers + " metadata servers; each round one client reads all pages");
        Rounds figures = new ListRounds(options, rounds.rounds(), work, undo, results).run();
        figures.medians().forEach(results::remark);
        results.remark("last tenth to first tenth "
                + Rounds.describe(figures.ratios(ListRounds.tenth(ListRounds.TENTHS), ListRounds.tenth(1))));
        return true;
    }
}
