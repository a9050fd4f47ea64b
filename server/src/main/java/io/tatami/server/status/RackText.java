package io.tatami.server.status;

import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** The block servers by their racks, with their room. */
final class RackText {
    private final Map<String, List<BlockServerInfo>> racks = new TreeMap<>();

    /** @param servers those that were forgotten are left out */
    RackText(List<BlockServerInfo> servers) {
        servers.stream()
                .filter(server -> server.getState() != State.GONE)
                .forEach(server -> racks.computeIfAbsent(server.getRack(), rack -> new ArrayList<>())
                        .add(server));
    }

    void print(PrintWriter out) {
        out.printf("%-34s %-11s %10s %10s %10s%n", "rack, block server", "state", "capacity", "used", "free");
        racks.forEach((rack, servers) -> {
            Sum sum = Sum.of(servers);
            out.printf(
                    "%-34s %-11s %10s %10s %10s%n",
                    rack.isEmpty() ? "(no rack)" : rack,
                    sum.active + " of " + servers.size(),
                    HumanBytes.ofBytes(sum.capacity),
                    HumanBytes.ofBytes(sum.used),
                    HumanBytes.ofBytes(sum.free));
            servers.forEach(server -> print(server, out));
        });
    }

    private static void print(BlockServerInfo server, PrintWriter out) {
        out.printf(
                "%5d %-28s %-11s %10s %10s %10s%n",
                server.getServerId(),
                server.getData().getHost() + ":" + server.getData().getPort(),
                server.getState().name().toLowerCase(Locale.ROOT),
                HumanBytes.ofBytes(server.getCapacityBytes()),
                HumanBytes.ofBytes(server.getUsedBytes()),
                HumanBytes.ofBytes(server.getFreeBytes()));
    }

    List<Map<String, Object>> json() {
        List<Map<String, Object>> json = new ArrayList<>();
        racks.forEach((rack, servers) -> {
            Sum sum = Sum.of(servers);
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("rack", rack);
            fields.put(
                    "servers",
                    servers.stream().map(BlockServerInfo::getServerId).toList());
            fields.put("active", sum.active);
            fields.put("capacity_bytes", sum.capacity);
            fields.put("used_bytes", sum.used);
            fields.put("free_bytes", sum.free);
            json.add(fields);
        });
        return json;
    }

    /** Of the servers of a rack; the room is that of servers that are not dead. */
    private record Sum(long active, long capacity, long used, long free) {
        static Sum of(List<BlockServerInfo> servers) {
            List<BlockServerInfo> alive = servers.stream()
                    .filter(server -> server.getState() != State.DEAD)
                    .toList();
            return new Sum(
                    servers.stream()
                            .filter(server -> server.getState() == State.ACTIVE)
                            .count(),
                    alive.stream().mapToLong(BlockServerInfo::getCapacityBytes).sum(),
                    alive.stream().mapToLong(BlockServerInfo::getUsedBytes).sum(),
                    alive.stream().mapToLong(BlockServerInfo::getFreeBytes).sum());
        }
    }
}
