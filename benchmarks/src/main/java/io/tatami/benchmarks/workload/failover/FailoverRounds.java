package io.tatami.benchmarks.workload.failover;

import io.tatami.base.GroupId;
import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.peer.ReplicatedCluster;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.DirectoryListing;
import io.tatami.client.model.TatamiPath;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One cluster of three metadata servers, which all hold every group. In each round the server that leads the namespace
 * group, or a shard, each in its turn, is killed while clients create files; when all clients are served again it is
 * started again. At the end every file that a client was told of has to be there.
 */
final class FailoverRounds {
    static final List<String> COLUMNS = List.of(
            "round", "group", "median_gap_ms", "longest_gap_ms", "return_longest_gap_ms", "files", "errors", "lost");

    private static final TatamiPath PLACE = TatamiPath.ROOT.listedChild("failover");
    private static final long POLL_MILLIS = 20;
    /** Far more than any failover takes. */
    private static final long SERVED_LIMIT_NANOS = TimeUnit.MINUTES.toNanos(5);

    private final FailoverOptions options;
    private final RoundOptions rounds;
    private final Path work;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();
    private final Progress progress = new Progress();
    private final List<BusyClient> clients = new ArrayList<>();
    private long lost;

    FailoverRounds(FailoverOptions options, RoundOptions rounds, Path work, Undo undo, Results results) {
        this.options = options;
        this.rounds = rounds;
        this.work = work;
        this.undo = undo;
        this.results = results;
    }

    /** The figures of all rounds. */
    Rounds run() throws Exception {
        Path directory = work.resolve("failover");
        try (ReplicatedCluster cluster = Peers.inTurn(
                        directory, undo, () -> ReplicatedCluster.start(directory, options.shards, List.of()));
                TatamiClient observer = Peers.connect(cluster)) {
            progress.tell("%d clients begin", options.clients);
            begin(cluster, observer);
            try {
                TimeUnit.SECONDS.sleep(options.warmUpSeconds);
                RoundTurns turns = results.turns(rounds.rounds(), 1);
                for (int round = 1; round <= rounds.rounds(); round++) {
                    turns.next();
                    measure(round, cluster, observer);
                    figures.keep();
                }
                check(observer);
            } finally {
                clients.forEach(BusyClient::close);
            }
        }
        return figures;
    }

    /** Files that a client was told are made, and that are not there. */
    long lost() {
        return lost;
    }

    long errors() {
        return clients.stream().mapToLong(BusyClient::errors).sum();
    }

    private void begin(ReplicatedCluster cluster, TatamiClient observer) throws IOException {
        for (int client = 0; client < options.clients; client++) {
            TatamiPath own = PLACE.child("client-" + client);
            observer.mkdirs(own, CreateSpec.modes(0777, 022), true);
            clients.add(new BusyClient(Peers.connect(cluster), own));
        }
    }

    private void measure(int round, ReplicatedCluster cluster, TatamiClient observer) throws Exception {
        int which = (round - 1) % (1 + options.shards);
        GroupId group = which == 0 ? GroupId.NAMESPACE : GroupId.ofShard(which - 1);
        int victim = cluster.leader(observer, group);
        progress.tell("round %d: server %d, which leads %s, is killed", round, victim, group);
        clients.forEach(BusyClient::beginRound);
        cluster.kill(victim);
        awaitService();
        List<Double> gaps = clients.stream().map(BusyClient::longestMillis).toList();
        clients.forEach(BusyClient::beginRound);
        cluster.restart(victim);
        awaitService();
        cluster.awaitMembers(observer);
        double atReturn =
                longest(clients.stream().map(BusyClient::longestMillis).toList());
        double median = Results.median(gaps);
        results.row(
                round,
                group,
                String.format("%.0f", median),
                String.format("%.0f", longest(gaps)),
                String.format("%.0f", atReturn),
                clients.stream().mapToLong(BusyClient::made).sum(),
                errors(),
                "");
        figures.put("of a client's gap, ms", median);
        figures.put("of the longest gap of any client, ms", longest(gaps));
        figures.put("of the longest gap when the server comes back, ms", atReturn);
    }

    private static double longest(List<Double> gaps) {
        return gaps.stream().mapToDouble(Double::doubleValue).max().orElse(0);
    }

    /** Until all clients are served again, and for a while longer. */
    private void awaitService() throws IOException, InterruptedException {
        long giveUpNanos = System.nanoTime() + SERVED_LIMIT_NANOS;
        while (!clients.stream().allMatch(BusyClient::isServed)) {
            if (System.nanoTime() - giveUpNanos > 0) {
                throw new IOException("some client is not served any more; see the servers' logs in " + work);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        TimeUnit.SECONDS.sleep(options.watchSeconds);
    }

    private void check(TatamiClient observer) throws Exception {
        long files = 0;
        for (BusyClient client : clients) {
            Set<String> made = client.end();
            files += made.size();
            lost += made.size() - present(observer, client.directory(), made);
        }
        results.row("all", "", "", "", "", files, errors(), lost);
        results.remark(files + " files were made; " + errors() + " errors; " + lost
                + " files that were acknowledged are not there");
    }

    private static int present(TatamiClient observer, TatamiPath directory, Set<String> made) throws IOException {
        int present = 0;
        DirectoryListing listing = observer.list(directory, false);
        while (listing.hasNext()) {
            if (made.contains(listing.next().path().name())) {
                present++;
            }
        }
        return present;
    }
}
