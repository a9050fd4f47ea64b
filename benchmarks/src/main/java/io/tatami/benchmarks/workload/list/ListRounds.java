package io.tatami.benchmarks.workload.list;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.peer.MetadataCluster;
import io.tatami.benchmarks.harness.peer.Peer;
import io.tatami.benchmarks.harness.peer.Peers;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.DirectoryListing;
import io.tatami.client.model.PathStatus;
import io.tatami.client.model.TatamiPath;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * One Tatami, one directory, over one metadata server or several; each round lists all of it, page by page, and notes
 * when each tenth of the files was there. Each listing is checked: every file once, in order.
 */
final class ListRounds {
    static final List<String> COLUMNS = List.of("round", "tenth", "files", "seconds", "files_per_second");
    static final int TENTHS = 10;

    private static final String DIRECTORY = "/list/crowd";
    private static final String CAPACITY = "1g";
    private static final double NANOS = 1e9;

    private final ListOptions options;
    private final int rounds;
    private final Path work;
    private final Undo undo;
    private final Results results;
    private final Rounds figures = new Rounds();
    private final Progress progress = new Progress();

    ListRounds(ListOptions options, int rounds, Path work, Undo undo, Results results) {
        this.options = options;
        this.rounds = rounds;
        this.work = work;
        this.undo = undo;
        this.results = results;
    }

    /** What {@link Rounds} has the rate of a tenth under, from 1. */
    static String tenth(int number) {
        return String.format("tenth %02d, files/s", number);
    }

    /** @throws IOException where a listing is not what is there, or for fewer files than tenths */
    Rounds run() throws IOException, InterruptedException {
        if (options.files < TENTHS) {
            throw new IOException("--files " + options.files + " has no tenths: give " + TENTHS + " or more");
        }
        if (Integer.bitCount(options.servers) != 1 || options.servers < 1) {
            throw new IOException("--servers " + options.servers + " is no power of two");
        }
        try (Peer peer = start(work.resolve("list"))) {
            try (TatamiClient client = Peers.connect(peer)) {
                TatamiPath directory = TatamiPath.of(DIRECTORY);
                client.mkdirs(directory, CreateSpec.modes(0777, 0), true);
                new Crowd(directory, options.files, progress).make(options.clients, () -> Peers.connect(peer));
                RoundTurns turns = results.turns(rounds, 1);
                for (int round = 1; round <= rounds; round++) {
                    turns.next();
                    progress.tell("round %d: listing %,d files", round, options.files);
                    list(round, client.list(directory, false));
                    figures.keep();
                }
            }
        }
        return figures;
    }

    private Peer start(Path directory) throws IOException, InterruptedException {
        if (options.servers == 1) {
            return Peers.start("tatami", directory, CAPACITY, undo);
        }
        MetadataCluster.Shape shape = new MetadataCluster.Shape(options.servers, options.servers, options.servers);
        return Peers.inTurn(directory, undo, () -> MetadataCluster.start(directory, shape));
    }

    private void list(int round, DirectoryListing listing) throws IOException {
        long seen = 0;
        for (int tenth = 1; tenth <= TENTHS; tenth++) {
            long begunAt = seen;
            long end = options.files * tenth / TENTHS;
            long beginNanos = System.nanoTime();
            while (seen < end && listing.hasNext()) {
                seen += checked(listing.nextPage(), seen);
            }
            note(round, tenth, seen - begunAt, System.nanoTime() - beginNanos);
        }
        if (seen != options.files || listing.hasNext()) {
            throw new IOException(
                    "a listing of " + options.files + " files shows " + seen + (listing.hasNext() ? " and more" : ""));
        }
    }

    private static int checked(List<PathStatus> page, long seen) throws IOException {
        for (int i = 0; i < page.size(); i++) {
            String name = page.get(i).path().name();
            if (!name.equals(Crowd.name(seen + i))) {
                throw new IOException("a listing has " + name + " in the place of " + Crowd.name(seen + i));
            }
        }
        return page.size();
    }

    private void note(int round, int tenth, long files, long nanos) {
        double perSecond = files * NANOS / Math.max(1, nanos);
        results.row(round, tenth, files, String.format("%.3f", nanos / NANOS), String.format("%.0f", perSecond));
        figures.put(tenth(tenth), perSecond);
    }
}
