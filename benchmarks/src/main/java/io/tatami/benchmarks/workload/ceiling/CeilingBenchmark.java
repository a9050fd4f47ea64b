package io.tatami.benchmarks.workload.ceiling;

import io.tatami.benchmarks.harness.peer.MetadataCluster;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.RunPlace;
import io.tatami.benchmarks.workload.meta.CostModel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.hadoop.fs.FileUtil;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code tatami bench ceiling}: real metadata servers, the namespace group in one process and all shards in another,
 * and more and more block servers without volumes in this process. What each message costs the servers is measured, and
 * what larger clusters would cost is reckoned from that.
 */
@Command(
        name = "ceiling",
        mixinStandardHelpOptions = true,
        description = "What many registered block servers cost the metadata servers, and where that ends.")
public final class CeilingBenchmark implements Callable<Integer> {
    private static final int[] MODELLED = {1_000, 3_000, 10_000, 16_384};
    private static final int CLIENTS = 10_000;

    /** Each client asks for a newer map once in a minute, as one does to which a server fails now and then. */
    private static final double QUESTIONS = CLIENTS / 60.0;

    private static final double GIGABIT_BYTES = 1e9 / 8;

    @Option(
            names = "--servers",
            split = ",",
            description = "Block servers, one setting after the other (default: ${DEFAULT-VALUE}).")
    private int[] servers = {10, 100, 1_000};

    @Option(names = "--shards", description = "All in one process; a power of two (default: ${DEFAULT-VALUE}).")
    private int shards = 4;

    @Option(names = "--seconds", description = "Of each measurement (default: ${DEFAULT-VALUE}).")
    private int seconds = 6;

    @Mixin
    private RunPlace place = new RunPlace();

    @Override
    public Integer call() throws Exception {
        List<CeilingFigures> all = new ArrayList<>();
        try (Results results = new Results(place.results(), "ceiling", CeilingFigures.COLUMNS)) {
            RoundTurns turns = results.turns(1, servers.length);
            for (int count : servers) {
                turns.next();
                Path directory = place.work().resolve("ceiling");
                FileUtil.fullyDelete(directory.toFile());
                try (MetadataCluster cluster =
                        MetadataCluster.start(directory, new MetadataCluster.Shape(1, shards, 1))) {
                    CeilingFigures figures = new CeilingRound(cluster, count, shards, seconds).run();
                    results.row(figures.row());
                    all.add(figures);
                }
            }
            model(all.get(0), all.get(all.size() - 1), results);
            results.remark("raw figures: " + results.file());
        }
        return 0;
    }

    /** By the constants of the largest setting. */
    private void model(CeilingFigures fewest, CeilingFigures figures, Results results) {
        CostModel.Standing standing = figures.standing(fewest, shards);
        results.remark(text(
                "of %d block servers: a heartbeat %.0f us, a question for credits %.0f us, changes of the map %.0f us,"
                        + " the map %.2f us and %.0f bytes a server, the rest %.1f us a second a server",
                figures.servers(),
                standing.heartbeatMicros(),
                standing.creditsMicros(),
                standing.changesMicros(),
                standing.mapMicros(),
                standing.mapBytes(),
                standing.restMicros()));
        results.remark("modelled, with " + CLIENTS + " clients: block servers | namespace leader, cores | each shard's"
                + " leader, cores | connections of a metadata server | map, MiB | all clients read it: core seconds,"
                + " seconds of 1 Gbit/s");
        for (int count : MODELLED) {
            results.remark(text(
                    "%d | %.3f | %.3f | %.0f | %.2f | %.1f | %.1f",
                    count,
                    standing.namespaceCores(count, QUESTIONS),
                    standing.shardCores(count),
                    count * figures.connectionsPerServer() + CLIENTS * figures.connectionsPerClient(),
                    count * standing.mapBytes() / (1 << 20),
                    standing.startSeconds(count, CLIENTS),
                    standing.startBytes(count, CLIENTS) / GIGABIT_BYTES));
        }
        results.remark(text(
                "one core: the namespace's leader hears %.0f block servers at most, a shard's leader %.0f; what ends first"
                        + " is %s",
                standing.serversMax(1), standing.serversOfShardMax(1), standing.breaking(1)));
    }

    private static String text(String format, Object... figures) {
        return String.format(Locale.ROOT, format, figures);
    }
}
