package io.tatami.benchmarks.bulk;

import io.tatami.benchmarks.Results;
import io.tatami.benchmarks.RoundOptions;
import io.tatami.benchmarks.Rounds;
import io.tatami.benchmarks.RunPlace;
import io.tatami.benchmarks.peer.Undo;
import java.nio.file.Files;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tatami bench bulk}: see {@link CreateMode}. */
@Command(
        name = "bulk",
        mixinStandardHelpOptions = true,
        description = "Creates with a block on a server for every file: with grants, asking the server for each, and"
                + " metadata alone.")
public final class BulkBenchmark implements Callable<Integer> {
    @Mixin
    private BulkOptions options = new BulkOptions();

    @Mixin
    private RunPlace place = new RunPlace();

    @Mixin
    private RoundOptions rounds = new RoundOptions(5);

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(place.work());
        Undo undo = new Undo();
        try (Results results = new Results(place.results(), "bulk", BulkRounds.COLUMNS)) {
            results.remark(
                    "all files of a mode in one directory, all directories in one shard, replication 1, durable at"
                            + " each return; asking is done by the benchmark's client: the product has no such mode");
            Rounds figures = new BulkRounds(options, rounds, place.work(), undo, results).run();
            summarize(figures, results);
            results.remark("raw figures: " + results.file());
        } finally {
            undo.run();
        }
        return 0;
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
