package io.tatami.benchmarks.meta;

/**
 * What CPU time alone allows: {@code n} shards and one namespace group, each with the same part of a core.
 *
 * @param shardMicros CPU time of all shards together for an operation
 * @param namespaceMicros CPU time of the namespace group for an operation
 */
record CostModel(double shardMicros, double namespaceMicros) {
    private static final double MICROS = 1e6;

    /** Operations a second, where each of the servers has {@code cores} of a core. */
    double rate(int shards, double cores) {
        return Math.min(shards * cores * MICROS / shardMicros, namespaceCeiling(cores));
    }

    /** What the namespace group can do, however many shards there are. */
    double namespaceCeiling(double cores) {
        return cores * MICROS / namespaceMicros;
    }

    /** With more shards than these the namespace group is what all wait for. */
    double shardsMax() {
        return shardMicros / namespaceMicros;
    }
}
