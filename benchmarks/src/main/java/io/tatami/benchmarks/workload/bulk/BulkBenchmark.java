package io.tatami.benchmarks.workload.bulk;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tatami bench bulk}: see {@link CreateMode}. */
@Command(
        name = "bulk",
        mixinStandardHelpOptions = true,
        description = "Creates with a block on a server for every file: with grants, asking the server for each, and"
                + " metadata alone.")
public final class BulkBenchmark extends RoundsCommand {
    @Mixin
    private BulkOptions options = new BulkOptions();

    public BulkBenchmark() {
        super("bulk", BulkRounds.COLUMNS, 5);
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        results.remark("all files of a mode in one directory, all directories in one shard, replication 1, durable at"
                + " each return; asking is done by the benchmark's client: the product has no such mode");
        Rounds figures = new BulkRounds(options, rounds, work, undo, results).run();
        summarize(figures, results);
        return true;
    }

    private void summarize(Rounds figures, Results results) {
        figures.medians().forEach(results::remark);
        for (int clients : new LinkedHashSet<>(options.clientCounts)) {
            for (CreateMode mode : List.of(CreateMode.GRANTS, CreateMode.ASKING)) {
                tell(
                        results,
                        figures,
                        BulkRounds.creates(clients, mode),
                        BulkRounds.creates(clients, CreateMode.METADATA));
                tell(results, figures, BulkRounds.both(clients, mode), BulkRounds.both(clients, CreateMode.METADATA));
            }
        }
    }

    private static void tell(Results results, Rounds figures, String over, String under) {
        results.remark(over + " to metadata alone " + Rounds.describe(figures.ratios(over, under)));
    }
}
