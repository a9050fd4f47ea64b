package io.tatami.benchmarks.harness.trace;

import io.tatami.benchmarks.harness.report.SvgPlot;
import io.tatami.benchmarks.harness.report.SvgPlot.Axis;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * A picture of an {@link AddressTrail}: the time runs to the right, the device's addresses run upwards, each request is
 * a stroke from its first to its last byte, and what is no read is red. As SVG.
 */
public final class AddressPlot {
    private static final int HEIGHT = 540;
    private static final int LEFT = 80;
    private static final double BYTES_PER_MEBIBYTE = 1 << 20;

    private final AddressTrail trail;
    private final double beginSeconds;
    private final SvgPlot plot;

    /** @param deviceBytes the height of the picture */
    public AddressPlot(String title, AddressTrail trail, long deviceBytes) {
        this.trail = trail;
        List<BlockRequest> requests = trail.requests();
        this.beginSeconds =
                requests.stream().mapToDouble(BlockRequest::seconds).min().orElse(0);
        double end = requests.stream().mapToDouble(BlockRequest::seconds).max().orElse(0);
        this.plot = new SvgPlot(
                title,
                trail.describe(),
                HEIGHT,
                LEFT,
                new Axis(Math.max(end - beginSeconds, 1e-3), 1, "%.2f", "seconds"),
                new Axis(deviceBytes, BYTES_PER_MEBIBYTE, "%.0f", "MiB"));
    }

    public String svg() {
        addRequests(true, "steelblue");
        addRequests(false, "red");
        return plot.svg();
    }

    /** Strokes that look the same are drawn once. */
    private void addRequests(boolean reads, String colour) {
        Set<String> strokes = new LinkedHashSet<>();
        for (BlockRequest request : trail.requests()) {
            if (request.isRead() == reads) {
                double bottom = plot.y(request.sector() * (double) BlockRequest.SECTOR_BYTES);
                double top = plot.y(request.end() * (double) BlockRequest.SECTOR_BYTES);
                strokes.add(SvgPlot.format(
                        "M%.1f %.1fV%.1f",
                        plot.x(request.seconds() - beginSeconds), bottom, Math.min(top, bottom - 0.5)));
            }
        }
        if (!strokes.isEmpty()) {
            plot.add("<path stroke=\"%s\" d=\"%s\"/>\n", colour, String.join("", strokes));
        }
    }
}
