package io.tatami.server.traffic;

import io.tatami.base.DirectoryId;
import io.tatami.client.model.TatamiPath;
import io.tatami.server.status.HumanBytes;
import io.tatami.server.traffic.TrafficRates.Rate;
import io.tatami.server.traffic.TrafficRates.ServerRate;
import io.tatami.server.traffic.TrafficRates.Unmeasured;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/** Rates for people to read, as lines without anything that would move a terminal's cursor. */
public final class TrafficText {
    private static final int SECTIONS = 5;

    /** An empty line and the heading. */
    private static final int LINES_AROUND = 2;

    private static final int UNMEASURED_MAX = 5;

    private final TrafficRates rates;
    private final Map<DirectoryId, TatamiPath> paths;
    private final List<String> lines = new ArrayList<>();

    /** @param paths of directories that are told; one without is told by its id */
    public TrafficText(TrafficRates rates, Map<DirectoryId, TatamiPath> paths) {
        this.rates = rates;
        this.paths = paths;
    }

    /**
     * How many rows each section may have so that all fit a screen.
     *
     * @param wanted where there is room for them
     * @param height of the screen in lines
     */
    public static int rows(int wanted, int height, TrafficRates rates) {
        int head = 1 + Math.min(rates.unmeasured().size(), UNMEASURED_MAX + 1);
        return Math.max(1, Math.min(wanted, (height - 1 - head) / SECTIONS - LINES_AROUND));
    }

    /** @param rows of each section at most, above 0 */
    public List<String> lines(int rows) {
        lines.clear();
        lines.add(String.format(
                Locale.ROOT,
                "%s requests a second by clients, counted by %d groups",
                rate(rates.requests()),
                rates.measuredGroups()));
        List<Unmeasured> unmeasured = rates.unmeasured();
        unmeasured.stream()
                .limit(UNMEASURED_MAX)
                .forEach(each -> add("no rate of " + each.subject() + ": it " + each.reason()));
        if (unmeasured.size() > UNMEASURED_MAX) {
            add("no rates of " + (unmeasured.size() - UNMEASURED_MAX) + " more");
        }
        section("user", rates.users(), rows, Function.identity());
        section("client", rates.clients(), rows, Function.identity());
        section("directory", rates.directories(), rows, this::path);
        section("metadata server", rates.metadataServers(), rows, Function.identity());
        add("");
        add(String.format(Locale.ROOT, "%12s %12s  %s", "read a s", "written a s", "block server"));
        rates.blockServers().stream().limit(rows).forEach(this::add);
        return List.copyOf(lines);
    }

    private <K> void section(String name, List<Rate<K>> all, int rows, Function<K, String> text) {
        add("");
        add(String.format(Locale.ROOT, "%12s  %s", "requests a s", name));
        all.stream()
                .limit(rows)
                .forEach(each ->
                        add(String.format(Locale.ROOT, "%12s  %s", rate(each.perSecond()), text.apply(each.key()))));
    }

    private String path(DirectoryId directory) {
        TatamiPath path = paths.get(directory);
        return path == null ? directory + " (its path is not found)" : path.toString();
    }

    private void add(ServerRate server) {
        add(String.format(
                Locale.ROOT,
                "%12s %12s  %d %s",
                HumanBytes.ofBytes(Math.round(server.read())),
                HumanBytes.ofBytes(Math.round(server.written())),
                server.id(),
                server.address()));
    }

    private void add(String line) {
        lines.add(printable(line));
    }

    private static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond < 10 ? "%.1f" : "%.0f", perSecond);
    }

    /** What others have named themselves and their directories, without what a terminal does not show as it stands. */
    private static String printable(String line) {
        return line.codePoints()
                .map(point -> isShown(point) ? point : '?')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static boolean isShown(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
