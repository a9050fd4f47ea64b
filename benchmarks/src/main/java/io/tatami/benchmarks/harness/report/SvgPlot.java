package io.tatami.benchmarks.harness.report;

import java.util.List;
import java.util.Locale;

/** A picture with a title, a remark and two axes from 0, to which its user adds what is to be seen. Of one thread. */
public final class SvgPlot {
    private static final int WIDTH = 960;
    private static final int RIGHT = 20;
    private static final int TOP = 60;
    private static final int BOTTOM = 50;
    private static final int TICKS = 5;

    private final int height;
    private final int left;
    private final Axis across;
    private final Axis up;
    private final StringBuilder svg = new StringBuilder();

    /**
     * One axis.
     *
     * @param end the greatest value; above 0
     * @param labelUnit by which values are divided for the labels
     * @param labels the pattern of a label
     * @param unit what is written beside the axis
     */
    public record Axis(double end, double labelUnit, String labels, String unit) {
        private String label(double value) {
            return format(labels, value / labelUnit);
        }
    }

    /**
     * A picture without anything but its axes.
     *
     * @param height of all, in pixels; the width is {@value #WIDTH}
     * @param left of it, for the labels of the axis that runs upwards
     */
    public SvgPlot(String title, String remark, int height, int left, Axis across, Axis up) {
        this.height = height;
        this.left = left;
        this.across = across;
        this.up = up;
        add(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"13\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
                WIDTH, height, WIDTH, height);
        text(left, 24, "start", title);
        text(left, 44, "start", remark);
        addAxes();
    }

    private void addAxes() {
        add("<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"black\"/>\n", left, TOP, height - BOTTOM, WIDTH - RIGHT);
        for (int i = 0; i <= TICKS; i++) {
            double value = across.end() * i / TICKS;
            text(x(value), height - BOTTOM + 18, "middle", across.label(value));
            double above = up.end() * i / TICKS;
            text(left - 6, y(above) + 4, "end", up.label(above));
        }
        text((left + WIDTH - RIGHT) / 2.0, height - 12, "middle", across.unit());
        text(left - 6, TOP - 8, "end", up.unit());
    }

    /** Where a value of the axis that runs to the right lies, in pixels from the left. */
    public double x(double value) {
        return left + value / across.end() * (WIDTH - left - RIGHT);
    }

    /** Where a value of the axis that runs upwards lies, in pixels from the top. */
    public double y(double value) {
        return height - BOTTOM - value / up.end() * (height - TOP - BOTTOM);
    }

    /** A point of a line, by the values of both axes. */
    public record Point(double across, double up) {}

    /**
     * Joins points.
     *
     * @param dashes of the line, as SVG's {@code stroke-dasharray}; {@code none} for a whole one
     */
    public void line(List<Point> points, String colour, String dashes) {
        StringBuilder all = new StringBuilder();
        points.forEach(point -> all.append(format("%.1f,%.1f ", x(point.across()), y(point.up()))));
        add(
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"/>\n",
                all.toString().trim(), colour, dashes);
    }

    /** A line with its name at the last point; without points there is nothing. */
    public void namedLine(List<Point> points, String name, String colour, String dashes) {
        if (points.isEmpty()) {
            return;
        }
        line(points, colour, dashes);
        Point last = points.get(points.size() - 1);
        add(
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\" fill=\"%s\">%s</text>\n",
                x(last.across()) - 4, y(last.up()) - 4, colour, name);
    }

    /** A piece of SVG, as {@link #format} makes it. */
    public void add(String pattern, Object... values) {
        svg.append(format(pattern, values));
    }

    private void text(double x, double y, String anchor, String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        add("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, escaped);
    }

    /** As {@link String#format}, the same in every language. */
    public static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }

    /** The whole picture. */
    public String svg() {
        return svg + "</svg>\n";
    }
}
