package io.tatami.benchmarks.workload.simulate;

import io.tatami.benchmarks.harness.report.SvgPlot;
import io.tatami.benchmarks.harness.report.SvgPlot.Axis;
import io.tatami.benchmarks.workload.simulate.SimulationResult.Sample;
import java.util.List;

/** A picture of the copies that are still to be made, over the hours of virtual time. As SVG. */
final class CurvePlot {
    private static final int HEIGHT = 420;
    private static final int LEFT = 90;
    private static final double SECONDS_PER_HOUR = 3_600;

    private final List<Sample> curve;
    private final SvgPlot plot;

    CurvePlot(String title, String remark, List<Sample> curve) {
        this.curve = curve;
        double hours =
                Math.max(1e-3, curve.stream().mapToDouble(Sample::seconds).max().orElse(0) / SECONDS_PER_HOUR);
        double blocks =
                Math.max(1, curve.stream().mapToLong(Sample::blocks).max().orElse(0));
        this.plot = new SvgPlot(
                title,
                remark,
                HEIGHT,
                LEFT,
                new Axis(hours, 1, "%.2f", "hours"),
                new Axis(blocks, 1, "%,.0f", "copies"));
    }

    String svg() {
        List<SvgPlot.Point> points = curve.stream()
                .map(sample -> new SvgPlot.Point(sample.seconds() / SECONDS_PER_HOUR, sample.blocks()))
                .toList();
        plot.line(points, "steelblue", "none");
        return plot.svg();
    }
}
