package io.tatami.benchmarks.workload.affinity;

import io.tatami.benchmarks.harness.report.SvgPlot;
import io.tatami.benchmarks.harness.report.SvgPlot.Axis;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/**
 * A picture of the rates in one setting over the number of nodes: lines for each peer, with and without locations or
 * with and without the final sync, and a dashed one for the disks alone. As SVG.
 */
final class AffinityPlot {
    private static final int HEIGHT = 420;
    private static final int LEFT = 90;
    private static final String WHOLE = "none";
    private static final String DOTTED = "2 3";
    private static final String DASHED = "6 4";
    private static final List<String> COLOURS = List.of("steelblue", "darkorange", "seagreen", "firebrick");

    private final AffinityFigures figures;
    private final AffinityOptions options;
    private final List<Integer> nodes;
    private final AffinityCell setting;

    /** @param setting of readers or of writers; its peer and nodes do not matter */
    AffinityPlot(AffinityFigures figures, AffinityOptions options, AffinityCell setting) {
        this.figures = figures;
        this.options = options;
        this.nodes = options.nodes.stream().sorted().toList();
        this.setting = setting;
    }

    /** Of the file. */
    String name() {
        return String.join(
                "-",
                setting.kind().toString(),
                "link" + setting.link(),
                "uplink" + setting.uplink(),
                "copies" + setting.copies());
    }

    String svg() {
        int last = nodes.get(nodes.size() - 1);
        double most = ideal(last);
        for (AffinityCell cell : lines()) {
            for (int count : nodes) {
                most = Math.max(most, figures.rate(cell.on(count)).orElse(0));
            }
        }
        SvgPlot plot = new SvgPlot(
                (setting.kind() == AffinityKind.READ ? "Reading" : "Writing") + ", " + setting.setting(),
                "dashed: the nodes' disks alone; dotted: "
                        + (setting.kind() == AffinityKind.READ ? "without locations" : "with the final sync"),
                HEIGHT,
                LEFT,
                new Axis(last, 1, "%.1f", "nodes"),
                new Axis(most, 1, "%.0f", "MB/s"));
        plot.line(List.of(new SvgPlot.Point(0, 0), new SvgPlot.Point(last, ideal(last))), "black", DASHED);
        for (AffinityCell cell : lines()) {
            add(plot, cell);
        }
        return plot.svg();
    }

    private double ideal(int count) {
        return (double) count * options.diskMegabytes / setting.copiesEach();
    }

    private List<AffinityCell> lines() {
        List<AffinityCell> lines = new ArrayList<>();
        for (String peer : options.peers) {
            AffinityCell cell = setting.of(peer);
            lines.add(cell);
            lines.add(cell.kind() == AffinityKind.READ ? cell.located(false) : cell.as(AffinityKind.WRITE_SYNCED));
        }
        return lines;
    }

    /** Void cells are left out; a line that has no point is not there. */
    private void add(SvgPlot plot, AffinityCell cell) {
        List<SvgPlot.Point> points = new ArrayList<>();
        for (int count : nodes) {
            OptionalDouble rate = figures.rate(cell.on(count));
            rate.ifPresent(value -> points.add(new SvgPlot.Point(count, value)));
        }
        boolean isSecond = !cell.kind().equals(setting.kind()) || cell.isLocated() != setting.isLocated();
        String colour = COLOURS.get(options.peers.indexOf(cell.peer()) % COLOURS.size());
        String name = cell.peer() + (!isSecond ? "" : cell.kind() == AffinityKind.READ ? ", no locations" : ", synced");
        plot.namedLine(points, name, colour, isSecond ? DOTTED : WHOLE);
    }
}
