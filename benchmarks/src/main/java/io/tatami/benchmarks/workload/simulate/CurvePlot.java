package io.tatami.benchmarks.workload.simulate;

import io.tatami.benchmarks.workload.simulate.SimulationResult.Sample;
import java.util.List;
import java.util.Locale;

/** A picture of the copies that are still to be made, over the hours of virtual time. As SVG. */
final class CurvePlot {
    private static final int WIDTH = 960;
    private static final int HEIGHT = 420;
    private static final int LEFT = 90;
    private static final int RIGHT = 20;
    private static final int TOP = 60;
    private static final int BOTTOM = 50;
    private static final int TICKS = 5;
    private static final double SECONDS_PER_HOUR = 3_600;

    private final String title;
    private final String remark;
    private final List<Sample> curve;
    private final double hours;
    private final double blocks;

    CurvePlot(String title, String remark, List<Sample> curve) {
        this.title = title;
        this.remark = remark;
        this.curve = curve;
        this.hours =
                Math.max(1e-3, curve.stream().mapToDouble(Sample::seconds).max().orElse(0) / SECONDS_PER_HOUR);
        this.blocks = Math.max(1, curve.stream().mapToLong(Sample::blocks).max().orElse(0));
    }

    String svg() {
        StringBuilder svg = new StringBuilder(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"13\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
                WIDTH, HEIGHT, WIDTH, HEIGHT));
        svg.append(text(LEFT, 24, "start", title));
        svg.append(text(LEFT, 44, "start", remark));
        svg.append(format(
                "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"black\"/>\n",
                LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT));
        for (int i = 0; i <= TICKS; i++) {
            double time = hours * i / TICKS;
            svg.append(text(x(time), HEIGHT - BOTTOM + 18, "middle", format("%.2f", time)));
            double left = blocks * i / TICKS;
            svg.append(text(LEFT - 6, y(left) + 4, "end", format("%,.0f", left)));
        }
        svg.append(text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", "hours"));
        svg.append(text(LEFT - 6, TOP - 8, "end", "copies"));
        StringBuilder points = new StringBuilder();
        for (Sample sample : curve) {
            points.append(format("%.1f,%.1f ", x(sample.seconds() / SECONDS_PER_HOUR), y(sample.blocks())));
        }
        svg.append(format(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"steelblue\" stroke-width=\"2\"/>\n",
                points.toString().trim()));
        return svg.append("</svg>\n").toString();
    }

    private double x(double time) {
        return LEFT + time / hours * (WIDTH - LEFT - RIGHT);
    }

    private double y(double left) {
        return HEIGHT - BOTTOM - left / blocks * (HEIGHT - TOP - BOTTOM);
    }

    private static String text(double x, double y, String anchor, String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, escaped);
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
