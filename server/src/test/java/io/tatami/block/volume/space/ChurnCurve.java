package io.tatami.block.volume.space;

import io.tatami.block.volume.space.Churn.Hour;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** A simulated week as a table and as a drawing: {@code allocator-week.csv} and {@code allocator-week.svg}. */
final class ChurnCurve {
    private static final int WIDTH = 860;
    private static final int LEFT = 70;
    private static final int PLOT_WIDTH = 770;
    private static final int PLOT_HEIGHT = 120;
    private static final int ROW_HEIGHT = 180;
    private static final int TOP = 60;
    private static final int DAY_HOURS = 24;

    private final long seed;
    private final List<Hour> week;

    ChurnCurve(long seed, List<Hour> week) {
        this.seed = seed;
        this.week = week;
    }

    void write(Path directory) throws IOException {
        Files.createDirectories(directory);
        Files.writeString(directory.resolve("allocator-week.csv"), table());
        Files.writeString(directory.resolve("allocator-week.svg"), drawing());
    }

    private String table() {
        return week.stream()
                .map(hour -> format(
                        "%d,%d,%.4f,%d,%.1f,%d,%.4f,%.4f,%.4f,%.4f\n",
                        hour.hour(),
                        hour.reserved(),
                        hour.wholeShare(),
                        hour.refused(),
                        mebibytes(hour),
                        hour.shape().freeRuns(),
                        hour.shape().meanAddress(),
                        hour.shape().used(),
                        hour.shape().lowerUsed(),
                        hour.shape().upperUsed()))
                .collect(Collectors.joining(
                        "",
                        format("hour,reservations,whole_share,refused,longest_free_mib,free_runs,mean_busy_address,"
                                + "used,lower_half_used,upper_half_used\n"),
                        ""));
    }

    private String drawing() {
        int height = TOP + 4 * ROW_HEIGHT;
        return format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"", WIDTH, height)
                + " font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
                + text(LEFT, 24, "A week of churn on a volume of 4 TiB that is kept 85 % full, seed " + seed)
                + row(0, "streaming reservations that got a whole 256 MiB extent, %", 0, 100, h -> 100 * h.wholeShare())
                + row(1, "longest free run, MiB", 0, max(ChurnCurve::mebibytes), ChurnCurve::mebibytes)
                + row(2, "free runs", 0, max(ChurnCurve::freeRuns), ChurnCurve::freeRuns)
                + row(
                        3,
                        "mean address of used bytes, % of the volume",
                        40,
                        50,
                        h -> 100 * h.shape().meanAddress())
                + "</svg>\n";
    }

    private String row(int row, String title, double least, double most, ToDoubleFunction<Hour> value) {
        int top = TOP + row * ROW_HEIGHT;
        int bottom = top + PLOT_HEIGHT;
        double span = Math.max(1e-9, most - least);
        StringBuilder drawn = new StringBuilder(text(LEFT, top - 8, title));
        drawn.append(line(LEFT, top, LEFT, bottom)).append(line(LEFT, bottom, LEFT + PLOT_WIDTH, bottom));
        drawn.append(text(8, top + 4, format("%.0f", most))).append(text(8, bottom + 4, format("%.0f", least)));
        for (int day = 0; day * DAY_HOURS <= week.size(); day++) {
            drawn.append(text(x(day * DAY_HOURS), bottom + 18, "day " + day));
        }
        String points = week.stream()
                .map(hour -> x(hour.hour())
                        + format(",%.1f", bottom - (value.applyAsDouble(hour) - least) / span * PLOT_HEIGHT))
                .collect(Collectors.joining(" "));
        return drawn.append("<polyline fill=\"none\" stroke=\"#1f5fa8\" stroke-width=\"1.5\" points=\"")
                .append(points)
                .append("\"/>\n")
                .toString();
    }

    private int x(int hour) {
        return LEFT + hour * PLOT_WIDTH / week.size();
    }

    private double max(ToDoubleFunction<Hour> value) {
        return week.stream().mapToDouble(value).max().orElse(1);
    }

    private static double mebibytes(Hour hour) {
        return hour.shape().longestFreeBytes() / (double) (1 << 20);
    }

    private static double freeRuns(Hour hour) {
        return hour.shape().freeRuns();
    }

    private static String line(int fromX, int fromY, int toX, int toY) {
        return format("<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" stroke=\"#888\"/>\n", fromX, fromY, toX, toY);
    }

    private static String text(int x, int y, String text) {
        return format("<text x=\"%d\" y=\"%d\">%s</text>\n", x, y, text);
    }

    private static String format(String format, Object... arguments) {
        return String.format(Locale.ROOT, format, arguments);
    }
}
