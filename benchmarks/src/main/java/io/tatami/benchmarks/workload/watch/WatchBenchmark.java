package io.tatami.benchmarks.workload.watch;

import io.tatami.benchmarks.harness.client.CreateLoad;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.CpuMeter;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.PeerOrder;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.peer.TatamiPeer;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.harness.report.RoundsCommand;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code tatami bench watch}: two standalone servers do the same work in turns. One counts its requests, and its
 * clients send traces; the other has its HTTP port off, and its clients send none.
 */
@Command(
        name = "watch",
        mixinStandardHelpOptions = true,
        description = "CPU time of a thousand creates with metrics and traces on, to the same with both off.")
public final class WatchBenchmark extends RoundsCommand {
    private static final List<String> COLUMNS =
            List.of("round", "watched", "operations", "server_us_per_1000", "client_us_per_1000");
    private static final String ON = "on";
    private static final String OFF = "off";
    private static final double NANOS_PER_MICRO = 1_000;
    private static final long SETTLE_SECONDS = 2;

    @Option(names = "--clients", description = "That create files (default: ${DEFAULT-VALUE}).")
    private int clients = 16;

    @Option(names = "--seconds", description = "Of each turn (default: ${DEFAULT-VALUE}).")
    private int seconds = 10;

    private final Rounds figures = new Rounds();
    private final Progress progress = new Progress();

    public WatchBenchmark() {
        super("watch", COLUMNS, 10);
    }

    @Override
    protected boolean measure(RoundOptions rounds, Path work, Undo undo, Results results) throws Exception {
        try (Peer on = peer(work, undo, ON, "auto");
                Peer off = peer(work, undo, OFF, "none")) {
            for (String warm : List.of(ON, OFF)) {
                measure(0, warm, warm.equals(ON) ? on : off, results);
            }
            figures.leaveOut();
            PeerOrder order = new PeerOrder(List.of(ON, OFF), rounds.random());
            RoundTurns turns = results.turns(rounds.rounds(), order.size());
            for (int round = 1; round <= rounds.rounds(); round++) {
                for (String watched : order.next()) {
                    turns.next();
                    measure(round, watched, watched.equals(ON) ? on : off, results);
                }
                figures.keep();
            }
        }
        figures.medians().forEach(results::remark);
        for (String side : List.of("server", "client", "both")) {
            results.remark("CPU time of the " + side + ", on to off: "
                    + Rounds.describe(figures.ratios(subject(side, ON), subject(side, OFF))));
        }
        return true;
    }

    private static Peer peer(Path work, Undo undo, String watched, String port) throws Exception {
        Path directory = work.resolve("watch-" + watched);
        List<String> java = List.of("-Dtatami.http.port=" + port);
        return Peers.inTurn(directory, undo, () -> TatamiPeer.startWith(directory, "2g", java));
    }

    private static String subject(String side, String watched) {
        return "us per 1,000 operations, " + side + ", " + watched;
    }

    private void measure(int round, String watched, Peer peer, Results results)
            throws IOException, InterruptedException {
        Settings settings = Settings.of(Map.of("tatami.client.trace", Boolean.toString(watched.equals(ON))));
        List<CreateLoad.Place> places = new ArrayList<>();
        TatamiPath parent = TatamiPath.ROOT.child("round-" + round);
        try (TatamiClient client = Peers.connect(peer, settings)) {
            for (int i = 0; i < clients; i++) {
                TatamiPath directory = parent.child("d" + i);
                client.mkdirs(directory, CreateSpec.modes(0777, 022), true);
                places.add(new CreateLoad.Place(directory, 0));
            }
            try (CreateLoad load = new CreateLoad(places, () -> Peers.connect(peer, settings))) {
                TimeUnit.SECONDS.sleep(SETTLE_SECONDS);
                CpuMeter servers = new CpuMeter(peer);
                long ownBegan = ownNanos();
                long began = load.created(1)[0];
                TimeUnit.SECONDS.sleep(seconds);
                long operations = load.created(1)[0] - began;
                put(round, watched, operations, servers.usedNanos(), ownNanos() - ownBegan, results);
            }
            client.delete(parent, true);
        }
    }

    private void put(int round, String watched, long operations, long serverNanos, long clientNanos, Results results)
            throws IOException {
        double server = serverNanos / NANOS_PER_MICRO / operations * 1_000;
        double client = clientNanos / NANOS_PER_MICRO / operations * 1_000;
        figures.put(subject("server", watched), server);
        figures.put(subject("client", watched), client);
        figures.put(subject("both", watched), server + client);
        results.row(round, watched, operations, String.format("%.0f", server), String.format("%.0f", client));
        progress.tell(
                "round %d, %s: %d creates, %.0f and %.0f us a thousand", round, watched, operations, server, client);
    }

    private static long ownNanos() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .orElse(Duration.ZERO)
                .toNanos();
    }
}
