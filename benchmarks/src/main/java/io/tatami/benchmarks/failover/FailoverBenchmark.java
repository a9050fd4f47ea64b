package io.tatami.benchmarks.failover;

import io.tatami.benchmarks.Results;
import io.tatami.benchmarks.RoundOptions;
import io.tatami.benchmarks.Rounds;
import io.tatami.benchmarks.RunPlace;
import io.tatami.benchmarks.peer.Undo;
import java.nio.file.Files;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tatami bench failover}: see {@link FailoverRounds}. */
@Command(
        name = "failover",
        mixinStandardHelpOptions = true,
        description = "How long clients are without service when one of three metadata servers is killed, and whether"
                + " they meet errors or lose files.")
public final class FailoverBenchmark implements Callable<Integer> {
    @Mixin
    private FailoverOptions options = new FailoverOptions();

    @Mixin
    private RunPlace place = new RunPlace();

    @Mixin
    private RoundOptions rounds = new RoundOptions(20);

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(place.work());
        Undo undo = new Undo();
        try (Results results = new Results(place.results(), "failover", FailoverRounds.COLUMNS)) {
            results.remark(
                    "three metadata servers hold every group; in each round the leader of one is killed (kill -9),"
                            + " and started again; a client's gap is the longest time between two files that it was told are"
                            + " made, or since the last one");
            FailoverRounds failover = new FailoverRounds(options, rounds, place.work(), undo, results);
            Rounds figures = failover.run();
            figures.medians().forEach(results::remark);
            results.remark("raw figures: " + results.file());
            return failover.lost() == 0 && failover.errors() == 0 ? 0 : 1;
        } finally {
            undo.run();
        }
    }
}
