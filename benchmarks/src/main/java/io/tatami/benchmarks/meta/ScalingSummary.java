package io.tatami.benchmarks.meta;

import io.tatami.benchmarks.Results;
import io.tatami.benchmarks.Rounds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** What the rounds of {@link ScalingRounds} say, and what they let expect of more servers. */
final class ScalingSummary {
    private static final List<Integer> EXPECTED = List.of(16, 64, 256);

    private final Rounds figures;
    private final List<Integer> servers;
    private final double cores;

    ScalingSummary(Rounds figures, List<Integer> servers, double cores) {
        this.figures = figures;
        this.servers = servers.stream().sorted().toList();
        this.cores = cores;
    }

    List<String> lines(List<MetaOperation> operations) {
        List<String> lines = new ArrayList<>(figures.medians());
        for (MetaOperation operation : operations) {
            if (!figures.figures(ScalingRounds.rate(operation, servers.get(0))).isEmpty()) {
                lines.addAll(ratios(operation));
                lines.addAll(law(operation));
                lines.addAll(costs(operation));
            }
        }
        return lines;
    }

    private List<String> ratios(MetaOperation operation) {
        int fewest = servers.get(0);
        return servers.stream()
                .filter(count -> count > fewest)
                .map(count -> String.format(
                        "%s: %d servers to %d %s",
                        operation,
                        count,
                        fewest,
                        Rounds.describe(figures.ratios(
                                ScalingRounds.rate(operation, count), ScalingRounds.rate(operation, fewest)))))
                .toList();
    }

    private List<String> law(MetaOperation operation) {
        List<ScalingModel.Point> points = new ArrayList<>();
        for (int count : servers) {
            figures.figures(ScalingRounds.rate(operation, count))
                    .forEach(rate -> points.add(new ScalingModel.Point(count, rate)));
        }
        ScalingModel law = ScalingModel.fit(points);
        List<String> lines = new ArrayList<>(List.of(text(
                "%s: least squares of the universal scalability law: rate(n) = %.0f n / (1 + %.5f (n - 1) + %.7f n (n"
                        + " - 1))",
                operation, law.perServer(), law.contention(), law.crosstalk())));
        for (int count : EXPECTED) {
            lines.add(text(
                    "%s: the law expects %.0f/s of %d servers, %.1f times one",
                    operation, law.rate(count), count, law.rate(count) / law.perServer()));
        }
        lines.add(
                Double.isFinite(law.peakServers())
                        ? text("%s: by the law more than %.0f servers do less", operation, law.peakServers())
                        : text(
                                "%s: by the law the limit is %.0f/s; more servers never do less",
                                operation, law.limit()));
        return lines;
    }

    /** Of the largest number of servers, whose shards have the most of what grows with their number. */
    private List<String> costs(MetaOperation operation) {
        int most = Collections.max(servers);
        CostModel model = new CostModel(
                Results.median(figures.figures(ScalingRounds.shardMicros(operation, most))),
                Results.median(figures.figures(ScalingRounds.namespaceMicros(operation, most))));
        List<String> lines = new ArrayList<>(List.of(text(
                "%s: CPU with %d servers: %.1f us at shards, %.2f us at the namespace group, which could do %.0f/s with"
                        + " %.2f of a core and %.0f/s with one",
                operation,
                most,
                model.shardMicros(),
                model.namespaceMicros(),
                model.namespaceCeiling(cores),
                cores,
                model.namespaceCeiling(1))));
        for (int count : EXPECTED) {
            lines.add(text(
                    "%s: CPU alone would allow %.0f/s with %d servers", operation, model.rate(count, cores), count));
        }
        lines.add(text(
                "%s: by CPU alone the namespace group is what all wait for from %.1f servers on",
                operation, model.shardsMax()));
        return lines;
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
