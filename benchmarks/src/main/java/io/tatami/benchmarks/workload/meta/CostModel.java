package io.tatami.benchmarks.workload.meta;

import java.util.List;

/**
 * What CPU time allows: {@code n} shards and one namespace group, each with the same part of a core, of which the
 * namespace group uses some at all times and some for each operation.
 *
 * @param shardMicros CPU time of all shards together for an operation
 * @param namespaceCores what the namespace group uses of a core at all times
 * @param namespaceMicros CPU time of the namespace group for an operation, besides
 */
record CostModel(double shardMicros, double namespaceCores, double namespaceMicros) {
    private static final double MICROS = 1e6;

    /**
     * A measurement.
     *
     * @param perSecond operations
     * @param shardMicros for each
     * @param namespaceMicros for each, with its part of what the group uses at all times
     */
    record Point(double perSecond, double shardMicros, double namespaceMicros) {
        double namespaceCores() {
            return perSecond * namespaceMicros / MICROS;
        }
    }

    /**
     * The mean of what shards use, and the straight line of least squares through what the namespace group does over
     * the rates; where that does not rise, as the group has no more to use, all of it is of the operations.
     */
    static CostModel fit(List<Point> points) {
        if (points.isEmpty()) {
            throw new IllegalArgumentException("nothing to fit to");
        }
        double shardMicros =
                points.stream().mapToDouble(Point::shardMicros).average().orElseThrow();
        double rate = points.stream().mapToDouble(Point::perSecond).average().orElseThrow();
        double cores =
                points.stream().mapToDouble(Point::namespaceCores).average().orElseThrow();
        double together = 0;
        double squares = 0;
        for (Point point : points) {
            together += (point.perSecond() - rate) * (point.namespaceCores() - cores);
            squares += (point.perSecond() - rate) * (point.perSecond() - rate);
        }
        double slope = together > 0 ? Math.min(together / squares, cores / rate) : cores / rate;
        return new CostModel(shardMicros, cores - slope * rate, slope * MICROS);
    }

    /** Operations a second, where each of the servers has {@code cores} of a core. */
    double rate(int shards, double cores) {
        return Math.min(shards * cores * MICROS / shardMicros, namespaceCeiling(cores));
    }

    /** What the namespace group can do, however many shards there are. */
    double namespaceCeiling(double cores) {
        return Math.max(0, cores - namespaceCores) * MICROS / namespaceMicros;
    }

    /** With more shards than these the namespace group is what all wait for. */
    double shardsMax(double cores) {
        return namespaceCeiling(cores) * shardMicros / (cores * MICROS);
    }
}
