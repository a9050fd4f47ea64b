package io.tatami.benchmarks.workload.ceiling;

import io.tatami.benchmarks.workload.meta.CostModel;
import java.util.List;
import java.util.Locale;

/**
 * What was measured with so many block servers. CPU times are of the metadata servers where nothing else is said.
 *
 * @param joinSeconds until all were registered and had sent a heartbeat
 * @param joinCores of the namespace's process meanwhile
 * @param namespaceCores of the namespace's process at rest
 * @param shardCores of the shards' process at rest, all of them together
 * @param heartbeatMicros of CPU time
 * @param creditsMicros of CPU time, of one shard's answer
 * @param mapMicros of CPU time for the whole map
 * @param mapClientMicros of a client's wall time for the whole map, read and parsed, with nothing beside it
 * @param changesMicros of CPU time for an answer with changes
 * @param mapBytes of the whole map
 * @param changesBytesPerMinute of the answers to a client that asks each second
 * @param mapHeapBytes of a client's heap for one map
 * @param connectionsPerServer at the metadata server with the most of them
 * @param connectionsPerClient as well
 * @param staleSeconds from when a server falls silent, up to 3 s after its last heartbeat, until a client that asks
 *     each 100 ms knows it
 * @param createsPerSecond of empty files, by clients in this process
 * @param failures of calls at rest
 */
record CeilingFigures(
        int servers,
        double joinSeconds,
        double joinCores,
        double namespaceCores,
        double shardCores,
        double heartbeatMicros,
        double creditsMicros,
        double mapMicros,
        double mapClientMicros,
        double changesMicros,
        long mapBytes,
        double changesBytesPerMinute,
        double mapHeapBytes,
        double connectionsPerServer,
        double connectionsPerClient,
        double staleSeconds,
        double createsPerSecond,
        long failures) {
    static final List<String> COLUMNS = List.of(
            "servers",
            "join_s",
            "join_cores",
            "namespace_cores",
            "shards_cores",
            "heartbeat_us",
            "credits_us",
            "map_us",
            "map_client_us",
            "changes_us",
            "map_bytes",
            "changes_bytes_min",
            "map_heap_bytes",
            "connections_server",
            "connections_client",
            "stale_s",
            "creates_s",
            "failures");

    private static final double MICROS = 1e6;

    Object[] row() {
        return new Object[] {
            servers,
            text(joinSeconds),
            text(joinCores),
            text(namespaceCores),
            text(shardCores),
            text(heartbeatMicros),
            text(creditsMicros),
            text(mapMicros),
            text(mapClientMicros),
            text(changesMicros),
            mapBytes,
            text(changesBytesPerMinute),
            text(mapHeapBytes),
            text(connectionsPerServer),
            text(connectionsPerClient),
            text(staleSeconds),
            text(createsPerSecond),
            failures
        };
    }

    /**
     * The constants of the model. What a message costs in a burst holds as long as it is not more than all that is used
     * for one at rest.
     *
     * @param fewer block servers: what is done for those too is not for the number of servers
     */
    CostModel.Standing standing(CeilingFigures fewer, int shards) {
        double heartbeatsPerSecond = 1_000.0 / FakeFleet.HEARTBEAT_MILLIS;
        double creditsPerSecond = shards * 1_000.0 / FakeFleet.CREDITS_MILLIS;
        double namespaceMicros = microsPerServer(namespaceCores, fewer.namespaceCores, fewer);
        double shardsMicros = microsPerServer(shardCores, fewer.shardCores, fewer);
        double heartbeat = Math.min(heartbeatMicros, namespaceMicros / heartbeatsPerSecond);
        return new CostModel.Standing(
                heartbeat,
                shardsMicros / creditsPerSecond,
                changesMicros,
                mapMicros / servers,
                namespaceMicros - heartbeat * heartbeatsPerSecond,
                (double) mapBytes / servers);
    }

    /** CPU time in a second at rest for each block server. */
    private double microsPerServer(double cores, double fewerCores, CeilingFigures fewer) {
        return servers > fewer.servers
                ? Math.max(0, cores - fewerCores) * MICROS / (servers - fewer.servers)
                : cores * MICROS / servers;
    }

    private static String text(double figure) {
        return String.format(Locale.ROOT, "%.3f", figure);
    }
}
