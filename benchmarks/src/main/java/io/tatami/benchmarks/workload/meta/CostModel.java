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
public record CostModel(double shardMicros, double namespaceCores, double namespaceMicros) {
    private static final double MICROS = 1e6;

    /**
     * What block servers and clients cost without any operation, where each has its own part in it: their number is all
     * that counts.
     *
     * @param heartbeatMicros CPU time of the namespace's leader for one
     * @param creditsMicros CPU time of a shard's leader for the question of one block server
     * @param changesMicros CPU time of the namespace's leader for telling one client what has changed of the map
     * @param mapMicros CPU time of the namespace's leader for telling the whole map, for each server in it
     * @param restMicros CPU time of the namespace's leader each second for each block server, besides its heartbeats:
     *     it builds the map
     * @param mapBytes of the map for each block server
     */
    public record Standing(
            double heartbeatMicros,
            double creditsMicros,
            double changesMicros,
            double mapMicros,
            double restMicros,
            double mapBytes) {
        private static final double HEARTBEAT_SECONDS = 3;
        private static final double CREDITS_SECONDS = 2;

        /** Of a core of the namespace's leader, for each block server. */
        public double namespaceCoresPerServer() {
            return (heartbeatMicros / HEARTBEAT_SECONDS + restMicros) / MICROS;
        }

        /**
         * Of a core of the namespace's leader.
         *
         * @param questions of clients for the map, each second
         */
        public double namespaceCores(int servers, double questions) {
            return servers * namespaceCoresPerServer() + questions * changesMicros / MICROS;
        }

        /** Of a core of each shard's leader, however many shards there are. */
        public double shardCores(int servers) {
            return servers * creditsMicros / CREDITS_SECONDS / MICROS;
        }

        /** Seconds of a core for clients that start, each of which reads the whole map once. */
        public double startSeconds(int servers, int clients) {
            return clients * (servers * mapMicros) / MICROS;
        }

        /** Bytes that clients that start are sent. */
        public double startBytes(int servers, int clients) {
            return clients * (servers * mapBytes);
        }

        /** With more block servers than these the namespace's leader does nothing but hear them. */
        public double serversMax(double cores) {
            return cores / namespaceCoresPerServer();
        }

        /** With more block servers than these each shard's leader does nothing but answer them. */
        public double serversOfShardMax(double cores) {
            return cores * MICROS * CREDITS_SECONDS / creditsMicros;
        }

        /** What ends first, as block servers become more. */
        public String breaking(double cores) {
            return serversOfShardMax(cores) < serversMax(cores)
                    ? "the credits at each shard's leader"
                    : "the heartbeats at the namespace's leader";
        }
    }

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
