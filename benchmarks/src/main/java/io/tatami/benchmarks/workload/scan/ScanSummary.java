package io.tatami.benchmarks.workload.scan;

import io.tatami.benchmarks.harness.report.Results;
import io.tatami.benchmarks.harness.report.Rounds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What the runs of the scans come to, in lines. */
final class ScanSummary {
    private final Rounds figures;
    private final List<String> fileSystems;

    /** @param figures rates in MB/s by the names of {@code fileSystems} */
    ScanSummary(Rounds figures, List<String> fileSystems) {
        this.figures = figures;
        this.fileSystems = fileSystems;
    }

    List<String> lines() {
        List<String> lines = new ArrayList<>();
        for (String name : fileSystems) {
            List<Double> rates = figures.figures(name);
            if (!rates.isEmpty()) {
                lines.add(String.format(
                        "%s: mean %.0f MB/s, standard deviation %.0f, median %.0f, %.0f to %.0f, of %d runs",
                        name,
                        mean(rates),
                        deviation(rates),
                        Results.median(rates),
                        Collections.min(rates),
                        Collections.max(rates),
                        rates.size()));
            }
        }
        for (String name : fileSystems) {
            List<Double> ratios = figures.ratios("tatami", name);
            if (!name.equals("tatami") && !ratios.isEmpty()) {
                lines.add("tatami to " + name + " " + Rounds.describe(ratios));
            }
        }
        return lines;
    }

    private static double mean(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
    }

    /** Of a sample; 0 where there is but one. */
    static double deviation(List<Double> values) {
        double mean = mean(values);
        double squares = values.stream()
                .mapToDouble(value -> (value - mean) * (value - mean))
                .sum();
        return Math.sqrt(squares / Math.max(1, values.size() - 1));
    }
}
