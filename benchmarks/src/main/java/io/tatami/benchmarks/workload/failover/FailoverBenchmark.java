package io.tatami.benchmarks.workload.failover;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tatami bench failover}: see {@link FailoverRounds}. */
@Command(
        name = "failover",
        mixinStandardHelpOptions = true,
        description = "How long clients are without service when one of three metadata servers is killed, and whether"
                + " they meet errors or lose files.")
public final class FailoverBenchmark extends RoundsCommand {
    @Mixin
    private FailoverOptions options = new FailoverOptions();

    public FailoverBenchmark() {
        super("failover", FailoverRounds.COLUMNS, 20);
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        results.remark("three metadata servers hold every group; in each round the leader of one is killed (kill -9),"
                + " and started again; a client's gap is the longest time between two files that it was told are"
                + " made, or since the last one");
        FailoverRounds failover = new FailoverRounds(options, rounds, work, undo, results);
        Rounds figures = failover.run();
        figures.medians().forEach(results::remark);
        return failover.lost() == 0 && failover.errors() == 0;
    }
}
