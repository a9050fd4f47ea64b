package io.tatami.benchmarks.workload.ior;

import io.tatami.benchmarks.harness.report.SvgPlot;
import io.tatami.benchmarks.harness.report.SvgPlot.Axis;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * A picture of the rates with one size of transfer over the number of servers: a line for each number of writers, and a
 * dashed one for the sum of what each server does alone. As SVG.
 */
final class IorPlot {
    private static final int HEIGHT = 420;
    private static final int LEFT = 90;
    private static final List<String> COLOURS = List.of("steelblue", "darkorange", "seagreen", "firebrick", "purple");

    private final IorSummary summary;
    private final List<Integer> servers;
    private final ByteSize transfer;
    private final SvgPlot plot;

    IorPlot(IorSummary summary, List<Integer> servers, List<Integer> writers, ByteSize transfer) {
        this.summary = summary;
        this.servers = servers.stream().sorted().toList();
        this.transfer = transfer;
        double most = 1;
        for (int count : servers) {
            most = Math.max(most, sum(count).orElse(0));
            for (int each : writers) {
                most = Math.max(most, rate(count, each).orElse(0));
            }
        }
        this.plot = new SvgPlot(
                "Writing to servers, in calls of " + transfer,
                "dashed: the sum of what each server does alone",
                HEIGHT,
                LEFT,
                new Axis(this.servers.get(servers.size() - 1), 1, "%.1f", "servers"),
                new Axis(most, 1, "%.0f", "MB/s"));
        line(this::sum, "sum", "black", "6 4");
        for (int i = 0; i < writers.size(); i++) {
            int each = writers.get(i);
            line(count -> rate(count, each), each + " writers", COLOURS.get(i % COLOURS.size()), "none");
        }
    }

    private OptionalDouble sum(int count) {
        return summary.median(new IorCell(count, 1, transfer).sum());
    }

    private OptionalDouble rate(int count, int writers) {
        return summary.median(new IorCell(count, writers, transfer).rate());
    }

    /** Void cells are left out; a line that has no point is not there. */
    private void line(Function<Integer, OptionalDouble> figure, String name, String colour, String dashes) {
        List<SvgPlot.Point> points = new ArrayList<>();
        for (int count : servers) {
            figure.apply(count).ifPresent(value -> points.add(new SvgPlot.Point(count, value)));
        }
        plot.namedLine(points, name, colour, dashes);
    }

    String svg() {
        return plot.svg();
    }
}
