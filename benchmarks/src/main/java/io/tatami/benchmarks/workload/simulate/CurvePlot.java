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
        StringBuilder points = new StringBuilder();
        for (Sample sample : curve) {
            points.append(
                    SvgPlot.format("%.1f,%.1f ", plot.x(sample.seconds() / SECONDS_PER_HOUR), plot.y(sample.blocks())));
        }
        plot.add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"steelblue\" stroke-width=\"2\"/>\n",
                points.toString().trim());
        return plot.svg();
    }
}
