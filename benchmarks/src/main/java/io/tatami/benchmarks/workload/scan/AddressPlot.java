package io.tatami.benchmarks.workload.scan;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A picture of an {@link AddressTrail}: the time runs to the right, the device's addresses run upwards, each request is
 * a stroke from its first to its last byte, and what is no read is red. As SVG.
 */
final class AddressPlot {
    private static final int WIDTH = 960;
    private static final int HEIGHT = 540;
    private static final int LEFT = 80;
    private static final int RIGHT = 20;
    private static final int TOP = 60;
    private static final int BOTTOM = 50;
    private static final int TICKS = 5;
    private static final double BYTES_PER_MEBIBYTE = 1 << 20;

    private final String title;
    private final AddressTrail trail;
    private final double deviceBytes;
    private final double beginSeconds;
    private final double seconds;

    /** @param deviceBytes the height of the picture */
    AddressPlot(String title, AddressTrail trail, long deviceBytes) {
        this.title = title;
        this.trail = trail;
        this.deviceBytes = deviceBytes;
        List<BlockRequest> requests = trail.requests();
        this.beginSeconds =
                requests.stream().mapToDouble(BlockRequest::seconds).min().orElse(0);
        double end = requests.stream().mapToDouble(BlockRequest::seconds).max().orElse(0);
        this.seconds = Math.max(end - beginSeconds, 1e-3);
    }

    String svg() {
        StringBuilder svg = new StringBuilder(format(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\""
                        + " font-size=\"13\">\n<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
                WIDTH, HEIGHT, WIDTH, HEIGHT));
        svg.append(text(LEFT, 24, "start", title));
        svg.append(text(LEFT, 44, "start", trail.describe()));
        appendAxes(svg);
        appendRequests(svg, true, "steelblue");
        appendRequests(svg, false, "red");
        return svg.append("</svg>\n").toString();
    }

    private void appendAxes(StringBuilder svg) {
        svg.append(format(
                "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"black\"/>\n",
                LEFT, TOP, HEIGHT - BOTTOM, WIDTH - RIGHT));
        for (int i = 0; i <= TICKS; i++) {
            double time = seconds * i / TICKS;
            svg.append(text(x(beginSeconds + time), HEIGHT - BOTTOM + 18, "middle", format("%.2f", time)));
            double address = deviceBytes * i / TICKS;
            svg.append(text(LEFT - 6, y(address) + 4, "end", format("%.0f", address / BYTES_PER_MEBIBYTE)));
        }
        svg.append(text((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", "seconds"));
        svg.append(text(LEFT - 6, TOP - 8, "end", "MiB"));
    }

    /** Strokes that look the same are drawn once. */
    private void appendRequests(StringBuilder svg, boolean reads, String colour) {
        Set<String> strokes = new LinkedHashSet<>();
        for (BlockRequest request : trail.requests()) {
            if (request.isRead() == reads) {
                double bottom = y(request.sector() * (double) BlockRequest.SECTOR_BYTES);
                double top = y(request.end() * (double) BlockRequest.SECTOR_BYTES);
                strokes.add(format("M%.1f %.1fV%.1f", x(request.seconds()), bottom, Math.min(top, bottom - 0.5)));
            }
        }
        if (!strokes.isEmpty()) {
            svg.append(format("<path stroke=\"%s\" d=\"%s\"/>\n", colour, String.join("", strokes)));
        }
    }

    private double x(double time) {
        return LEFT + (time - beginSeconds) / seconds * (WIDTH - LEFT - RIGHT);
    }

    private double y(double address) {
        return HEIGHT - BOTTOM - address / deviceBytes * (HEIGHT - TOP - BOTTOM);
    }

    private static String text(double x, double y, String anchor, String text) {
        String escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, escaped);
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
