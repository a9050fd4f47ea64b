package io.tatami.benchmarks.workload.commit;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.PeerOptions;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tatami bench commit}: see {@link CommitJob}. */
@Command(
        name = "commit",
        mixinStandardHelpOptions = true,
        description = "What a job's output committer does with names: tasks, the job's commit, and the deletion of the"
                + " output, beside HDFS with --vs hdfs.")
public final class CommitBenchmark extends RoundsCommand {
    @Mixin
    private PeerOptions peers = new PeerOptions();

    @Mixin
    private CommitOptions options = new CommitOptions();

    public CommitBenchmark() {
        super("commit", CommitRounds.COLUMNS, 3);
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        results.remark(options.tasks + " tasks a job, each with a file of " + options.fileBytes + " bytes in each of "
                + options.partitions + " partitions, committer algorithm " + options.algorithm);
        Rounds figures = new CommitRounds(options, peers, rounds, work, undo, results).run();
        figures.medians().forEach(results::remark);
        if (peers.names().size() > 1) {
            for (int clients : options.clientCounts) {
                for (String step : List.of("tasks", "job commits", "deletes of outputs")) {
                    results.remark(step + " x" + clients + ": tatami to " + peers.versus() + " "
                            + Rounds.describe(figures.ratios(
                                    CommitRounds.rate("tatami", step, clients),
                                    CommitRounds.rate(peers.versus(), step, clients))));
                }
            }
        }
        return true;
    }
}
