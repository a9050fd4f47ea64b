package io.tatami.benchmarks.workload.simulate;

import io.tatami.base.ServerId;
import io.tatami.benchmarks.harness.report.Skew;
import io.tatami.cluster.ServersView;
import io.tatami.cluster.ServersView.Server;
import io.tatami.cluster.ServersView.Standing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The block servers, by their ids from 1 on: where they are, how they stand and how full they are. */
final class Fleet {
    private final Standing[] standings;
    private final int[] racks;
    private final long[] capacityBytes;
    private final long[] usedBytes;
    private final List<List<Integer>> serversOfRack = new ArrayList<>();
    private final int[][] atFirst;
    private int version;

    /**
     * Servers that serve and have nothing.
     *
     * @param joining servers beside those of the shape, which have the ids behind theirs; they serve once that is said
     */
    Fleet(ClusterShape shape, int joining) {
        int servers = shape.nodes() + joining;
        standings = new Standing[servers + 1];
        racks = new int[servers + 1];
        capacityBytes = new long[servers + 1];
        usedBytes = new long[servers + 1];
        for (int rack = 0; rack < shape.racks(); rack++) {
            serversOfRack.add(new ArrayList<>());
        }
        for (int server = 1; server <= servers; server++) {
            standings[server] = server <= shape.nodes() ? Standing.SERVES : Standing.LOST;
            racks[server] = (server - 1) % shape.racks();
            capacityBytes[server] = (long) (shape.meanBytes() * 100.0 / shape.usedPercent());
            serversOfRack.get(racks[server]).add(server);
        }
        atFirst = new int[shape.racks()][];
        for (int rack = 0; rack < atFirst.length; rack++) {
            atFirst[rack] = serversOfRack.get(rack).stream()
                    .filter(server -> server <= shape.nodes())
                    .mapToInt(Integer::intValue)
                    .toArray();
        }
    }

    int servers() {
        return standings.length - 1;
    }

    int rackOf(int server) {
        return racks[server];
    }

    /** Servers of a rack at the beginning. */
    int inRack(int rack) {
        return atFirst[rack].length;
    }

    int inRack(int rack, int index) {
        return atFirst[rack][index];
    }

    Standing standing(int server) {
        return standings[server];
    }

    void stand(int server, Standing standing) {
        standings[server] = standing;
        version++;
    }

    /** Changes with how servers stand, and with which of them are too full for copies. */
    Object places() {
        long closed = 0;
        for (int server = 1; server < standings.length; server++) {
            closed = closed * 31 + (usedBytes[server] < capacityBytes[server] * 0.9 ? 0 : server);
        }
        return List.of(version, closed);
    }

    boolean serves(int server) {
        return standings[server] == Standing.SERVES;
    }

    int serving() {
        return (int) Arrays.stream(standings, 1, standings.length)
                .filter(standing -> standing == Standing.SERVES)
                .count();
    }

    void addCapacity(int server, long bytes) {
        capacityBytes[server] += bytes;
    }

    /** @param bytes more than before; negative for fewer */
    void use(int server, long bytes) {
        usedBytes[server] += bytes;
    }

    long usedBytes(int server) {
        return usedBytes[server];
    }

    /** How full the servers that serve are, as parts of their room. */
    Skew used() {
        return Skew.of(serving(usedBytes), serving(capacityBytes));
    }

    private double[] serving(long[] values) {
        double[] found = new double[serving()];
        int count = 0;
        for (int server = 1; server < standings.length; server++) {
            if (serves(server)) {
                found[count++] = values[server];
            }
        }
        return found;
    }

    /** How a load is spread over the servers that serve. */
    Skew loads(long[] byServer) {
        return Skew.of(serving(byServer), null);
    }

    /** What the planners are told. */
    ServersView view() {
        List<Server> servers = new ArrayList<>(servers());
        for (int server = 1; server < standings.length; server++) {
            servers.add(new Server(
                    new ServerId(server),
                    "host-" + server,
                    "/rack-" + racks[server],
                    standings[server],
                    capacityBytes[server],
                    usedBytes[server]));
        }
        return new ServersView(servers, false);
    }
}
