package io.tatami.benchmarks.join;

import com.google.protobuf.ByteString;
import io.tatami.benchmarks.Progress;
import io.tatami.benchmarks.Results;
import io.tatami.benchmarks.RoundOptions;
import io.tatami.benchmarks.Rounds;
import io.tatami.benchmarks.clients.CreateLoad;
import io.tatami.benchmarks.clients.CreateRate;
import io.tatami.benchmarks.peer.PeerOrder;
import io.tatami.benchmarks.peer.Peers;
import io.tatami.benchmarks.peer.ReplicatedCluster;
import io.tatami.benchmarks.peer.Undo;
import io.tatami.client.CreateSpec;
import io.tatami.client.TatamiClient;
import io.tatami.client.TatamiPath;
import io.tatami.protocol.wire.ChangeMetadataServerRequest;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.MetadataServerInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * In each round, in random order, a new cluster for each rate at which replicas may move. Clients create files without
 * end; then a fourth server is started and added, and when nothing moves any more the round's figures are there.
 */
final class JoinRounds {
    static final List<String> COLUMNS = List.of(
            "round",
            "rate",
            "files",
            "replicas_moved",
            "seconds",
            "creates_per_second_before",
            "creates_per_second_meanwhile",
            "longest_ms_before",
            "longest_ms_meanwhile");

    private static final long STEP_MILLIS = 50;
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

    static String of(String rate, String what) {
        return "rate " + rate + ": " + what;
    }

    /** The figures of all rounds. */
    Rounds run() throws Exception {
        PeerOrder order = new PeerOrder(options.rates, rounds.random());
        for (int round = 1; round <= rounds.rounds(); round++) {
            for (String rate : order.next()) {
                measure(round, rate);
            }
            figures.keep();
        }
        return figures;
    }

    private void measure(int round, String rate) throws Exception {
        progress.tell("round %d: replicas move at %s bytes a second", round, rate);
        Path directory = work.resolve("join-" + rate);
        List<String> settings = List.of("-Dtatami.metadata.move.rate=" + rate);
        try (ReplicatedCluster cluster = Peers.inTurn(
                        directory, undo, () -> ReplicatedCluster.start(directory, options.shards, settings));
                TatamiClient admin = Peers.connect(cluster)) {
            awaitSettled(admin);
            try (CreateLoad load = new CreateLoad(places(admin), () -> Peers.connect(cluster))) {
                Thread.sleep(TimeUnit.SECONDS.toMillis(options.fillSeconds));
                measure(round, rate, cluster, admin, load);
            }
        }
    }

    private void measure(int round, String rate, ReplicatedCluster cluster, TatamiClient admin, CreateLoad load)
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
        admin.changeMetadataServer(added, ChangeMetadataServerRequest.Action.ADD);
        ListMetadataServersReply settled = awaitSettled(admin);
        double seconds = (System.nanoTime() - beganNanos) / 1e9;
        meanwhile.end();
        double longest = load.takeLongestNanos() / 1e6;
        results.row(
                round,
                rate,
                files,
                held(settled, added),
                String.format("%.1f", seconds),
                String.format("%.0f", before.all()),
                String.format("%.0f", meanwhile.all()),
                String.format("%.1f", longestBefore),
                String.format("%.1f", longest));
        figures.put(of(rate, "seconds"), seconds);
        figures.put(of(rate, "creates/s before"), before.all());
        figures.put(of(rate, "creates/s while they move"), meanwhile.all());
        figures.put(of(rate, "longest create, ms"), longest);
    }

    private List<CreateLoad.Place> places(TatamiClient client) throws IOException {
        List<CreateLoad.Place> places = new ArrayList<>();
        for (int i = 0; i < options.clients; i++) {
            TatamiPath directory = PLACE.child("d" + i);
            client.mkdirs(directory, CreateSpec.modes(0777, 022), true);
            places.add(new CreateLoad.Place(directory, 0));
        }
        return places;
    }

    private static ByteString spare(TatamiClient admin) throws IOException {
        return admin.metadataServers().getServerList().stream()
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

    private static ListMetadataServersReply awaitSettled(TatamiClient admin) throws IOException, InterruptedException {
        long giveUpNanos = System.nanoTime() + LIMIT_NANOS;
        while (true) {
            ListMetadataServersReply servers = admin.metadataServers();
            if (servers.getSettled()) {
                return servers;
            }
            if (System.nanoTime() - giveUpNanos > 0) {
                throw new IOException("replicas still move after 30 minutes: " + servers);
            }
            Thread.sleep(STEP_MILLIS);
        }
    }
}
