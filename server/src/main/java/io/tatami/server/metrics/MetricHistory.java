package io.tatami.server.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The last six hours of a process's metrics, a value each 15 s, for curves without another service. Gauges are kept as
 * they are, counters as their rate a second, and histograms as the rate of what they count and as the 99th percentile
 * within the 15 s. What has the label {@code group} is kept as the sum over the groups. At most {@value #SERIES_MAX}
 * series of {@value #POINTS} values are kept, 3 MB in all; where a process has more, the later ones are counted and
 * left out. Safe for use by many threads.
 */
public final class MetricHistory {
    /** Seconds from one value to the next. */
    public static final int STEP_SECONDS = 15;

    static final int POINTS = 6 * 3_600 / STEP_SECONDS;
    static final int SERIES_MAX = 512;
    private static final double PERCENTILE = 0.99;
    private static final double MILLIS_PER_SECOND = 1_000;
    private static final String GROUP = "group";

    /** Of other makers' metrics those that say whether the process has room. */
    private static final Set<String> FOREIGN =
            Set.of("jvm_memory_used_bytes", "process_cpu_seconds", "process_open_fds");

    private final Map<String, Series> kept = new LinkedHashMap<>();

    /** How many values there are since the start; the place of the next one is this modulo {@link #POINTS}. */
    private long taken;

    private long lastMillis;

    /** From the value before to the one that is being taken, as a step may come late. */
    private double stepSeconds = STEP_SECONDS;

    private int leftOut;

    /**
     * Curves out of the history.
     *
     * @param endMillis the wall clock of the last value of each
     * @param leftOut series that are not kept because there are too many
     */
    public record Curves(long endMillis, int stepSeconds, int leftOut, List<Curve> curves) {}

    /**
     * One series.
     *
     * @param name of the metric with its labels, as Prometheus writes it; {@code :rate} and {@code :p99} stand for what
     *     became of counters and histograms
     * @param values the oldest first, one for each step up to the end; null where there was none
     */
    public record Curve(String name, List<@Nullable Float> values) {}

    /** One line of a curve, and what it was computed from the last time. */
    private static final class Series {
        private final float[] values = new float[POINTS];
        private final long bornAt;
        private double total = Double.NaN;
        private long[] counts = {};

        /** @param bornAt how many values were taken before */
        Series(long bornAt) {
            this.bornAt = bornAt;
            Arrays.fill(values, Float.NaN);
        }

        /** Whether it was there for the whole time and has no value. */
        boolean isOver(long now) {
            if (now - bornAt < POINTS) {
                return false;
            }
            for (float value : values) {
                if (!Float.isNaN(value)) {
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Takes the next value of each series; to be called each {@link #STEP_SECONDS}.
     *
     * @param nowMillis by the wall clock, for those who read
     */
    public synchronized void take(MetricSnapshots snapshots, long nowMillis) {
        int place = (int) (taken % POINTS);
        stepSeconds = taken == 0 ? STEP_SECONDS : Math.max(1, (nowMillis - lastMillis) / MILLIS_PER_SECOND);
        kept.values().forEach(series -> series.values[place] = Float.NaN);
        leftOut = 0;
        for (MetricSnapshot snapshot : snapshots) {
            String name = snapshot.getMetadata().getPrometheusName();
            if (name.startsWith("tatami_") || FOREIGN.contains(name)) {
                take(name, snapshot, place);
            }
        }
        taken++;
        lastMillis = nowMillis;
    }

    private void take(String name, MetricSnapshot snapshot, int place) {
        if (snapshot instanceof GaugeSnapshot gauges) {
            gauges.getDataPoints().forEach(point -> {
                Series series = series(named(name, point.getLabels()));
                if (series != null) {
                    float before = series.values[place];
                    series.values[place] = (float) point.getValue() + (Float.isNaN(before) ? 0 : before);
                }
            });
        } else if (snapshot instanceof CounterSnapshot counters) {
            Map<String, Double> totals = new LinkedHashMap<>();
            counters.getDataPoints()
                    .forEach(point -> totals.merge(named(name, point.getLabels()), point.getValue(), Double::sum));
            totals.forEach((series, total) -> takeRate(series, total, place));
        } else if (snapshot instanceof HistogramSnapshot histograms) {
            histograms.getDataPoints().forEach(point -> {
                takeRate(named(name, point.getLabels()), point.getCount(), place);
                takePercentile(named(name, point.getLabels()), point.getClassicBuckets(), place);
            });
        }
    }

    private void takeRate(String name, double total, int place) {
        Series series = series(name + ":rate");
        if (series == null) {
            return;
        }
        if (total >= series.total) {
            series.values[place] = (float) ((total - series.total) / stepSeconds);
        }
        series.total = total;
    }

    private void takePercentile(String name, ClassicHistogramBuckets now, int place) {
        Series series = series(name + ":p99");
        if (series == null) {
            return;
        }
        long[] before = series.counts;
        long[] counts = new long[now.size()];
        long all = 0;
        for (int i = 0; i < counts.length; i++) {
            counts[i] = now.getCount(i);
            all += before.length == 0 ? 0 : counts[i] - before[i];
        }
        if (all > 0) {
            series.values[place] = (float) percentile(now, before, PERCENTILE * all);
        }
        series.counts = counts;
    }

    /** Within the bucket that holds it, as if what that counted were spread evenly. */
    private static double percentile(ClassicHistogramBuckets now, long[] before, double rank) {
        double below = 0;
        double lower = 0;
        for (int i = 0; i < before.length; i++) {
            double here = now.getCount(i) - before[i];
            double upper = now.getUpperBound(i);
            if (here > 0 && below + here >= rank) {
                return Double.isInfinite(upper) ? lower : lower + (upper - lower) * (rank - below) / here;
            }
            below += here;
            lower = upper;
        }
        return lower;
    }

    /** Null where too many are kept. One that has no value of the last six hours gives way to another. */
    private @Nullable Series series(String name) {
        Series known = kept.get(name);
        if (known == null && (kept.size() < SERIES_MAX || kept.values().removeIf(series -> series.isOver(taken)))) {
            known = new Series(taken);
            kept.put(name, known);
        } else if (known == null) {
            leftOut++;
        }
        return known;
    }

    private static String named(String name, Labels labels) {
        return labels.isEmpty() || labels.contains(GROUP) ? name : name + labels;
    }

    /** How many series have names that {@code wanted} takes. */
    public synchronized int count(Predicate<String> wanted) {
        return (int) kept.keySet().stream().filter(wanted).count();
    }

    /**
     * The series whose names {@code wanted} takes.
     *
     * @param points of each, from the newest backwards; at most {@link #POINTS}
     */
    public synchronized Curves curves(Predicate<String> wanted, int points) {
        int count = (int) Math.min(Math.min(points, POINTS), taken);
        List<Curve> curves = new ArrayList<>();
        kept.forEach((name, series) -> {
            if (wanted.test(name)) {
                List<@Nullable Float> last = new ArrayList<>(count);
                for (long at = taken - count; at < taken; at++) {
                    float value = series.values[(int) (at % POINTS)];
                    last.add(Float.isNaN(value) ? null : value);
                }
                curves.add(new Curve(name, last));
            }
        });
        return new Curves(lastMillis, STEP_SECONDS, leftOut, curves);
    }
}
