package io.tatami.benchmarks.harness.report;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How unevenly something is spread over servers.
 *
 * @param maxToMean 1 where all have the same; 0 where there is nothing
 * @param deviationPercent the standard deviation in percent of the mean
 */
public record Skew(double maxToMean, double deviationPercent) {
    /** @param rooms what each value is divided by; null for 1 */
    public static Skew of(double[] values, double @Nullable [] rooms) {
        double[] parts = values.clone();
        for (int i = 0; rooms != null && i < parts.length; i++) {
            parts[i] /= rooms[i];
        }
        double mean = Arrays.stream(parts).average().orElse(0);
        if (mean == 0) {
            return new Skew(0, 0);
        }
        double squares =
                Arrays.stream(parts).map(part -> (part - mean) * (part - mean)).sum();
        return new Skew(
                Arrays.stream(parts).max().orElseThrow() / mean, Math.sqrt(squares / parts.length) / mean * 100);
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%.3f (sd %.1f %%)", maxToMean, deviationPercent);
    }
}
