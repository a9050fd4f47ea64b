package io.tatami.benchmarks.workload.fence;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tatami bench fence}: see {@link FenceRounds}. */
@Command(
        name = "fence",
        mixinStandardHelpOptions = true,
        description = "How long the rename of a directory takes with several shards, also while one is paused, and what"
                + " creates in other directories get meanwhile.")
public final class FenceBenchmark extends RoundsCommand {
    @Mixin
    private FenceOptions options = new FenceOptions();

    public FenceBenchmark() {
        super("fence", FenceRounds.COLUMNS, 3);
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        results.remark("one client renames a directory, others create and close empty files in other directories of one"
                + " shard each; the namespace group has a process of its own; while one server is paused"
                + " creates_per_second is that of the others");
        Rounds figures = new FenceRounds(options, rounds, work, undo, results).run();
        figures.medians().forEach(results::remark);
        for (int shards : options.shards) {
            List<Double> kept = figures.ratios(
                    FenceRounds.of(shards, "renames, creates/s"), FenceRounds.of(shards, "creates alone, creates/s"));
            results.remark(FenceRounds.of(shards, "creates beside renames to creates alone ") + Rounds.describe(kept));
        }
        return true;
    }
}
