package io.tatami.benchmarks.workload.meta;

import io.tatami.benchmarks.harness.report.Rounds;
import java.util.ArrayList;
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

    private List<String> costs(MetaOperation operation) {
        List<CostModel.Point> points = new ArrayList<>();
        for (int count : servers) {
            List<Double> rates = figures.figures(ScalingRounds.rate(operation, count));
            for (int round = 0; round < rates.size(); round++) {
                points.add(new CostModel.Point(
                        rates.get(round),
                        figures.figures(ScalingRounds.shardMicros(operation, count))
                                .get(round),
                        figures.figures(ScalingRounds.namespaceMicros(operation, count))
                                .get(round)));
            }
        }
        CostModel model = CostModel.fit(points);
        List<String> lines = new ArrayList<>(List.of(text(
                "%s: CPU %.1f us at shards; the namespace group uses %.4f of a core at all times and %.2f us for each, so"
                        + " it could do %.0f/s with %.2f of a core and %.0f/s with one",
                operation,
                model.shardMicros(),
                model.namespaceCores(),
                model.namespaceMicros(),
                model.namespaceCeiling(cores),
                cores,
                model.namespaceCeiling(1))));
        for (int count : EXPECTED) {
            lines.add(text("%s: CPU would allow %.0f/s with %d servers", operation, model.rate(count, cores), count));
        }
        lines.add(text(
                "%s: the namespace group is what all wait for from %.1f servers on",
                operation, model.shardsMax(cores)));
        return lines;
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
