package io.tatami.benchmarks.workload.join;

import com.google.protobuf.ByteString;
import io.tatami.benchmarks.harness.client.CreateLoad;
import io.tatami.benchmarks.harness.client.CreateRate;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.PeerOrder;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.peer.ReplicatedCluster;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.protocol.wire.ChangeMetadataServerRequest;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.MetadataServerInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * In each round, in random order, a new cluster for each rate at which replicas may move and each way in which what has
 * come is flushed. Clients create files without end; then a fourth server is started and added, and when nothing moves
 * any more the round's figures are there.
 */
final class JoinRounds {
    static final List<String> COLUMNS = List.of(
            "round",
            "rate",
            "flush",
            "files",
            "replicas_moved",
            "bytes_received",
            "seconds",
            "creates_per_second_before",
            "creates_per_second_meanwhile",
            "creates_in_a_median_second_meanwhile",
            "longest_ms_before",
            "longest_ms_meanwhile");

    static final String SECONDS = "seconds";
    static final String RATE_BEFORE = "creates/s before";
    static final String RATE = "creates/s while they move";
    static final String MEDIAN_RATE = "creates in a median second while they move";
    static final String LONGEST = "longest create, ms";

    private static final long STEP_MILLIS = 50;
    private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** As much as is kept with the metadata. */
    private static final int FILL_FILE_BYTES = 16 << 10;

    private static final int FILL_CLIENTS = 16;
    private static final long LIMIT_NANOS = TimeUnit.MINUTES.toNanos(30);
    private static final TatamiPath PLACE = TatamiPath.ROOT.listedChild("join");

    private final JoinOptions options;
    private final RoundOptions rounds;
    private final Path work;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();
    private final Progress progress = new Progress();

    JoinRounds(JoinOptions options, RoundOptions rounds, Path work, Undo undo, Results results) {
        this.options = options;
        this.rounds = rounds;
        this.work = work;
        this.undo = undo;
        this.results = results;
    }

    /** What is compared. */
    record Way(String rate, String flush) {
        static List<Way> all(JoinOptions options) {
            return options.rates.stream()
                    .flatMap(rate -> options.flushes.stream().map(flush -> new Way(rate, flush)))
                    .toList();
        }

        String of(String what) {
            return "rate " + rate + ", flush " + flush + ": " + what;
        }

        List<String> settings() {
            return List.of("-Dtatami.metadata.move.rate=" + rate, "-Dtatami.meta.raft.snapshot.flush=" + flush);
        }
    }

    /** The figures of all rounds. */
    Rounds run() throws Exception {
        Map<String, Way> ways = new LinkedHashMap<>();
        Way.all(options).forEach(way -> ways.put(way.rate() + "-" + way.flush(), way));
        PeerOrder order = new PeerOrder(List.copyOf(ways.keySet()), rounds.random());
        RoundTurns turns = results.turns(rounds.rounds(), order.size());
        for (int round = 1; round <= rounds.rounds(); round++) {
            for (String name : order.next()) {
                turns.next();
                measure(round, name, Objects.requireNonNull(ways.get(name)));
            }
            figures.keep();
        }
        return figures;
    }

    private void measure(int round, String name, Way way) throws Exception {
        progress.tell("round %d: replicas move at %s bytes a second, flush %s", round, way.rate(), way.flush());
        Path directory = work.resolve("join-" + name);
        try (ReplicatedCluster cluster = Peers.inTurn(
                        directory, undo, () -> ReplicatedCluster.start(directory, options.shards, way.settings()));
                TatamiClient admin = Peers.connect(cluster)) {
            awaitSettled(admin, () -> {});
            fill(cluster, admin);
            try (CreateLoad load = new CreateLoad(places(admin, "d", options.clients), () -> Peers.connect(cluster))) {
                Thread.sleep(TimeUnit.SECONDS.toMillis(options.warmUpSeconds));
                measure(round, way, cluster, admin, load);
            }
        }
    }

    /** With files that metadata servers keep themselves, of bytes that cannot be compressed. */
    private void fill(ReplicatedCluster cluster, TatamiClient admin) throws IOException, InterruptedException {
        byte[] content = new byte[FILL_FILE_BYTES];
        new SplittableRandom(rounds.seed()).nextBytes(content);
        long files = options.fillMebibytes * (1L << 20) / FILL_FILE_BYTES;
        try (CreateLoad load =
                new CreateLoad(places(admin, "fill", FILL_CLIENTS), () -> Peers.connect(cluster), content)) {
            long toldNanos = System.nanoTime();
            for (long made = 0; made < files; made = load.created(1)[0]) {
                if (System.nanoTime() - toldNanos > TELL_NANOS) {
                    progress.tell("%d of %d MiB", (made * FILL_FILE_BYTES) >> 20, options.fillMebibytes);
                    toldNanos = System.nanoTime();
                }
                Thread.sleep(STEP_MILLIS);
            }
        }
    }

    private void measure(int round, Way way, ReplicatedCluster cluster, TatamiClient admin, CreateLoad load)
            throws Exception {
        load.takeLongestNanos();
        CreateRate before = CreateRate.begin(load, 1);
        Thread.sleep(TimeUnit.SECONDS.toMillis(options.seconds));
        before.end();
        double longestBefore = load.takeLongestNanos() / 1e6;
        cluster.join();
        ByteString added = spare(admin);
        long files = load.created(1)[0];
        load.takeLongestNanos();
        CreateRate meanwhile = CreateRate.begin(load, 1);
        long beganNanos = System.nanoTime();
        admin.cluster().changeMetadataServer(added, ChangeMetadataServerRequest.Action.ADD);
        MedianSecond second = new MedianSecond(load);
        ListMetadataServersReply settled = awaitSettled(admin, second::look);
        double seconds = (System.nanoTime() - beganNanos) / 1e9;
        meanwhile.end();
        double longest = load.takeLongestNanos() / 1e6;
        results.row(
                round,
                way.rate(),
                way.flush(),
                files,
                held(settled, added),
                cluster.snapshotBytesOfNewest(),
                String.format("%.1f", seconds),
                String.format("%.0f", before.all()),
                String.format("%.0f", meanwhile.all()),
                String.format("%.0f", second.creates()),
                String.format("%.1f", longestBefore),
                String.format("%.1f", longest));
        figures.put(way.of(SECONDS), seconds);
        figures.put(way.of(RATE_BEFORE), before.all());
        figures.put(way.of(RATE), meanwhile.all());
        figures.put(way.of(MEDIAN_RATE), second.creates());
        figures.put(way.of(LONGEST), longest);
    }

    /** Something done again and again while replicas move. */
    private interface Look {
        void look() throws IOException, InterruptedException;
    }

    /** What is created in a second, of all whole seconds; where there is none, of the time there is. */
    private static final class MedianSecond {
        private final CreateLoad load;
        private final List<Double> rates = new ArrayList<>();
        private CreateRate current;
        private long beganNanos = System.nanoTime();

        MedianSecond(CreateLoad load) throws IOException, InterruptedException {
            this.load = load;
            this.current = CreateRate.begin(load, 1);
        }

        void look() throws IOException, InterruptedException {
            long now = System.nanoTime();
            if (now - beganNanos >= TimeUnit.SECONDS.toNanos(1)) {
                rates.add(current.end().all());
                current = CreateRate.begin(load, 1);
                beganNanos = now;
            }
        }

        double creates() throws IOException, InterruptedException {
            return rates.isEmpty() ? current.end().all() : Results.median(rates);
        }
    }

    private static List<CreateLoad.Place> places(TatamiClient client, String name, int clients) throws IOException {
        List<CreateLoad.Place> places = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            TatamiPath directory = PLACE.child(name + i);
            client.mkdirs(directory, CreateSpec.modes(0777, 022), true);
            places.add(new CreateLoad.Place(directory, 0));
        }
        return places;
    }

    private static ByteString spare(TatamiClient admin) throws IOException {
        return admin.cluster().metadataServers().getServerList().stream()
                .filter(server -> server.getState() == MetadataServerInfo.State.SPARE)
                .map(MetadataServerInfo::getServerId)
                .findFirst()
                .orElseThrow(() -> new IOException("the server that joined is not listed as a spare one"));
    }

    private static int held(ListMetadataServersReply servers, ByteString id) {
        return servers.getServerList().stream()
                .filter(server -> server.getServerId().equals(id))
                .mapToInt(MetadataServerInfo::getHeldGroupCount)
                .sum();
    }

    private static ListMetadataServersReply awaitSettled(TatamiClient admin, Look meanwhile)
            throws IOException, InterruptedException {
        long giveUpNanos = System.nanoTime() + LIMIT_NANOS;
        while (true) {
            ListMetadataServersReply servers = admin.cluster().metadataServers();
            if (servers.getSettled()) {
                return servers;
            }
            if (System.nanoTime() - giveUpNanos > 0) {
                throw new IOException("replicas still move after 30 minutes: " + servers);
            }
            meanwhile.look();
            Thread.sleep(STEP_MILLIS);
        }
    }
}
