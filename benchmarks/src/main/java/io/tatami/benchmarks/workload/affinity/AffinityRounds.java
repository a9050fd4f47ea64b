package io.tatami.benchmarks.workload.affinity;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.report.Progress;
import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.RoundOptions;
import io.tatami.benchmarks.harness.report.RoundTurns;
import io.tatami.benchmarks.harness.report.Rounds;
import io.tatami.benchmarks.workload.affinity.AffinityTask.Place;
import io.tatami.server.lab.Lab;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.apache.hadoop.fs.FileUtil;

/**
 * In each round a lab for each number of nodes, of copies and each peer, one after the other in random order. Jobs have
 * as many tasks as there are nodes, and each node has room for one. Each reader has a file of its own of one block,
 * whose first copy was written by a node of its own: a scheduler that knows the places can have all of them read their
 * own disks. Without locations the same files are dealt out in random order.
 */
final class AffinityRounds {
    static final List<String> COLUMNS = List.of(
            "round",
            "peer",
            "kind",
            "nodes",
            "link",
            "uplink",
            "copies",
            "locations",
            "mb",
            "seconds",
            "mb_per_s",
            "ideal",
            "before",
            "near",
            "far",
            "after",
            "node_local",
            "rack_local",
            "elsewhere",
            "passed_over",
            "received_mb",
            "cores_percent",
            "is_void");

    private final AffinityOptions options;
    private final Path home;
    private final Undo undo;
    private final Results results;
    private final AffinityFigures figures = new AffinityFigures(new Rounds());
    private final Progress progress = new Progress();

    /** One lab's cells have these in common. */
    private record Nodes(int round, String peer, int count, int copies) {
        private AffinityCell cell(AffinityKind kind, double link, int uplink, boolean isLocated) {
            return new AffinityCell(peer, kind, count, link, uplink, copies, isLocated);
        }
    }

    AffinityRounds(AffinityOptions options, Path work, Undo undo, Results results) {
        this.options = options;
        this.home = work.resolve("affinity");
        this.undo = undo;
        this.results = results;
    }

    AffinityFigures run(RoundOptions rounds) throws IOException, InterruptedException {
        Random random = rounds.random();
        undo.add(() -> FileUtil.fullyDelete(home.toFile()));
        undo.add(() -> Lab.remove(AffinityLab.directory(home)));
        RoundTurns turns = results.turns(
                rounds.rounds(), (int) labs(1).stream().filter(this::hasCells).count());
        for (int round = 1; round <= rounds.rounds(); round++) {
            List<Nodes> labs = labs(round);
            Collections.shuffle(labs, random);
            for (Nodes nodes : labs) {
                if (hasCells(nodes)) {
                    turns.next();
                    inLab(nodes, random);
                } else {
                    progress.tell("round %d: one node has no uplink, and is left out", round);
                }
            }
            figures.rounds().keep();
        }
        return figures;
    }

    /** Whether anything is measured there: one node has no rack to leave. */
    private boolean hasCells(Nodes nodes) {
        return nodes.count > 1 || options.uplinks.contains(0);
    }

    private List<Nodes> labs(int round) {
        List<Nodes> labs = new ArrayList<>();
        for (int count : options.nodes) {
            for (int copies : options.copies) {
                if (copies <= count) {
                    for (String peer : options.peers) {
                        labs.add(new Nodes(round, peer, count, copies));
                    }
                }
            }
        }
        return labs;
    }

    private void inLab(Nodes nodes, Random random) throws IOException, InterruptedException {
        progress.tell(
                "round %d: a lab of %d nodes for %s, %d copies", nodes.round, nodes.count, nodes.peer, nodes.copies);
        try (AffinityLab lab = AffinityLab.up(options, nodes.peer, nodes.count, nodes.copies, home, progress)) {
            measure(lab, nodes, random);
        }
        Lab.remove(AffinityLab.directory(home));
        FileUtil.fullyDelete(home.toFile());
    }

    private void measure(AffinityLab lab, Nodes nodes, Random random) throws IOException, InterruptedException {
        try {
            if (options.kinds.contains(AffinityOptions.READ)) {
                read(lab, nodes, random);
            }
            if (options.kinds.contains(AffinityOptions.WRITE)) {
                write(lab, nodes, random);
            }
        } catch (IOException e) {
            throw AffinityLab.withLogs(home, e);
        }
    }

    private AffinityWork work(AffinityCell cell, Random random) {
        return new AffinityWork(
                cell.kind(), cell.nodes(), cell.copies(), options.fileBytes(), cell.isLocated(), random.nextLong());
    }

    private void read(AffinityLab lab, Nodes nodes, Random random) throws IOException, InterruptedException {
        progress.tell("%d files of %d MiB are written", nodes.count, options.fileBytes() >> 20);
        List<AffinityCell> cells = cells(nodes, AffinityKind.READ, List.of(true, false));
        lab.writeInput(work(cells.get(0), random));
        Collections.shuffle(cells, random);
        for (AffinityCell cell : cells) {
            row(nodes.round, cell, lab.run(cell, work(cell, random)));
        }
        lab.delete();
    }

    private void write(AffinityLab lab, Nodes nodes, Random random) throws IOException, InterruptedException {
        List<AffinityCell> cells = cells(nodes, AffinityKind.WRITE, List.of(false));
        Collections.shuffle(cells, random);
        for (AffinityCell cell : cells) {
            AffinityRun synced = lab.run(cell, work(cell.as(AffinityKind.WRITE_SYNCED), random));
            row(nodes.round, cell, synced.withoutSync());
            if (cell.isHdfs()) {
                row(nodes.round, cell.as(AffinityKind.WRITE_SYNCED), synced);
            }
            lab.delete();
        }
    }

    /** There is one rack where there is one node. */
    private List<AffinityCell> cells(Nodes nodes, AffinityKind kind, List<Boolean> located) {
        List<AffinityCell> cells = new ArrayList<>();
        for (double link : options.links) {
            for (int uplink : options.uplinks) {
                if (uplink == 0 || nodes.count > 1) {
                    located.forEach(is -> cells.add(nodes.cell(kind, link, uplink, is)));
                }
            }
        }
        return cells;
    }

    private void row(int round, AffinityCell cell, AffinityRun run) {
        boolean isVoid = options.isVoid(run);
        AffinityRun.Parts parts = run.parts();
        results.row(
                round,
                cell.peer(),
                cell.kind(),
                cell.nodes(),
                cell.link(),
                cell.uplink(),
                cell.copies(),
                cell.kind() == AffinityKind.READ ? cell.isLocated() : "",
                text("%.1f", run.megabytes()),
                text("%.1f", run.seconds()),
                text("%.2f", run.megabytesPerSecond()),
                text("%.3f", parts.ideal()),
                text("%.3f", parts.before()),
                text("%.3f", parts.near()),
                text("%.3f", parts.far()),
                text("%.3f", parts.after()),
                run.count(Place.NODE),
                run.count(Place.RACK),
                run.count(Place.ELSEWHERE),
                cell.isLocated() ? run.passedOver() : "",
                text("%.1f", run.receivedMegabytes()),
                text("%.0f", run.coresPercent()),
                isVoid);
        progress.tell(
                "%s: %.1f MB/s, %.2f of the disks, %d of %d tasks beside their bytes, cores busy by %.0f %%%s",
                cell,
                run.megabytesPerSecond(),
                parts.ideal(),
                run.count(Place.NODE),
                run.tasks().size(),
                run.coresPercent(),
                isVoid ? "; void" : "");
        if (!isVoid) {
            figures.put(cell, run);
        }
    }

    private static String text(String pattern, double figure) {
        return String.format(Locale.ROOT, pattern, figure);
    }
}
