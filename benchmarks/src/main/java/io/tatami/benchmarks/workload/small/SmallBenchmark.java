package io.tatami.benchmarks.workload.small;

import io.tatami.benchmarks.harness.host.PageCache;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.HdfsPeer;
import io.tatami.benchmarks.harness.peer.PeerOptions;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tatami bench small}: {@link SmallRounds}, and their ratios. */
@Command(
        name = "small",
        mixinStandardHelpOptions = true,
        description =
                "Crowds of files of 10 KB and of 1 MB: load, list, read back, and the room they take; beside HDFS with"
                        + " --vs hdfs.")
public final class SmallBenchmark extends RoundsCommand {
    private static final List<String> WORKLOADS =
            List.of("load", "load-synced", "cold-list", "cold-read", "warm-list", "warm-read");

    @Mixin
    private PeerOptions peers = new PeerOptions();

    @Mixin
    private SmallOptions options = new SmallOptions();

    public SmallBenchmark() {
        super("small", SmallRounds.COLUMNS, 3);
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        results.remark(
                options.clients + " clients, random bytes, all files of a length in one directory, replication 1;"
                        + " Tatami's files are durable when they are closed, HDFS's are in the page cache"
                        + (PageCache.canBeDropped() ? "" : "; nothing cold: only root can empty the page cache"));
        results.remark("tatami: a volume file that was "
                + (options.freshVolume
                        ? "just made, whose places are written for the first time"
                        : "written once before"));
        results.remark(SpaceUsed.DEFINITION);
        if (peers.names().contains("hdfs")) {
            results.remark("hdfs-peer.xml: " + HdfsPeer.settings());
        }
        summarize(new SmallRounds(options, peers.names(), rounds, work, undo, results).run(), results);
        return true;
    }

    private void summarize(Rounds figures, Results results) {
        figures.medians().forEach(results::remark);
        for (SmallOptions.Crowd crowd : options.crowds()) {
            for (String workload : WORKLOADS) {
                SmallFigure figure = new SmallFigure(crowd.name(), workload);
                tellRatio(
                        results,
                        figure + ": tatami to ",
                        figures.ratios(figure.rate("tatami"), figure.rate(peers.versus())));
                tellRatio(
                        results,
                        figure + ": CPU of tatami to ",
                        figures.ratios(figure.cpu("tatami"), figure.cpu(peers.versus())));
            }
        }
    }

    private void tellRatio(Results results, String label, List<Double> ratios) {
        if (!ratios.isEmpty()) {
            results.remark(label + peers.versus() + " " + Rounds.describe(ratios));
        }
    }
}
