package io.tatami.benchmarks.workload.fence;

import io.tatami.benchmarks.harness.client.CreateLoad;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.MetadataCluster;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.PeerOrder;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.peer.TatamiDirectories;
import io.tatami.benchmarks.harness.report.Latencies;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * In each round, in random order, a new cluster for each number of shards. One client renames a directory to and fro;
 * others create files in other directories the whole time. Then servers are paused in turn, and each time the directory
 * is renamed once: that cannot end before the server goes on.
 */
final class FenceRounds {
    static final List<String> COLUMNS = List.of(
            "round",
            "shards",
            "servers",
            "part",
            "renames",
            "median_ms",
            "p99_ms",
            "longest_ms",
            "creates_per_second",
            "creates_per_second_on_paused");

    private static final TatamiPath PLACE = TatamiPath.ROOT.listedChild("fence");

    /** Far more than it takes to draw a directory of each server. */
    private static final int DRAWS_PER_PLACE_MAX = 1_000;

    private final FenceOptions options;
    private final RoundOptions rounds;
    private final Path work;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();
    private final Progress progress = new Progress();

    FenceRounds(FenceOptions options, RoundOptions rounds, Path work, Undo undo, Results results) {
        this.options = options;
        this.rounds = rounds;
        this.work = work;
        this.undo = undo;
        this.results = results;
    }

    static String of(int shards, String what) {
        return String.format("%2d shards: %s", shards, what);
    }

    /** The figures of all rounds. */
    Rounds run() throws Exception {
        PeerOrder order =
                new PeerOrder(options.shards.stream().map(String::valueOf).toList(), rounds.random());
        RoundTurns turns = results.turns(rounds.rounds(), order.size());
        for (int round = 1; round <= rounds.rounds(); round++) {
            for (String shards : order.next()) {
                turns.next();
                measure(round, Integer.parseInt(shards));
            }
            figures.keep();
        }
        return figures;
    }

    private void measure(int round, int shards) throws Exception {
        MetadataCluster.Shape shape = new MetadataCluster.Shape(Math.min(shards, options.serversMax), shards, 1);
        progress.tell("round %d: %d shards on %d servers", round, shards, shape.servers());
        Path directory = work.resolve("fence-" + shards);
        try (Peer started = Peers.inTurn(directory, undo, () -> MetadataCluster.start(directory, shape));
                TatamiClient client = Peers.connect(started)) {
            TatamiPath here = PLACE.child("a");
            client.mkdirs(here, CreateSpec.modes(0777, 022), true);
            List<CreateLoad.Place> places = places(client, shape);
            try (CreateLoad load = new CreateLoad(places, () -> Peers.connect(started))) {
                new FenceSetting(
                                new FenceSetting.Place(round, shape, started.servers()),
                                options,
                                new Renamer(client, here),
                                load)
                        .measure(undo, this::record);
            }
        }
    }

    /** Directories that are not renamed, as many on each server. */
    private List<CreateLoad.Place> places(TatamiClient client, MetadataCluster.Shape shape) throws IOException {
        int each = Math.max(1, options.clients / shape.servers());
        int[] found = new int[shape.servers()];
        List<CreateLoad.Place> places = new ArrayList<>();
        for (int draw = 0; places.size() < each * shape.servers(); draw++) {
            if (draw == DRAWS_PER_PLACE_MAX * each * shape.servers()) {
                throw new IOException("after " + draw + " directories some server has none of their shards");
            }
            TatamiPath path = PLACE.child("other-" + draw);
            int server = shape.serverOf(TatamiDirectories.make(client, path, shape.shards()));
            if (found[server] < each) {
                found[server]++;
                places.add(new CreateLoad.Place(path, server));
            }
        }
        return places;
    }

    private void record(FenceSetting.Place place, FenceSetting.Part part) {
        Latencies renames = part.renames();
        boolean any = renames.count() > 0;
        results.row(
                place.round(),
                place.shape().shards(),
                place.shape().servers(),
                part.name(),
                renames.count(),
                any ? String.format("%.2f", renames.millis(50)) : "",
                any ? String.format("%.2f", renames.millis(99)) : "",
                any ? String.format("%.2f", renames.millis(100)) : "",
                text(part.createsPerSecond()),
                text(part.onPausedPerSecond()));
        if (any) {
            figures.put(of(place.shape().shards(), part.name() + ", median ms"), renames.millis(50));
            figures.put(of(place.shape().shards(), part.name() + ", p99 ms"), renames.millis(99));
        }
        Double creates = part.createsPerSecond();
        if (creates != null) {
            figures.put(of(place.shape().shards(), part.name() + ", creates/s"), creates);
        }
    }

    private static String text(@Nullable Double perSecond) {
        return perSecond == null ? "" : String.format("%.0f", perSecond);
    }
}
