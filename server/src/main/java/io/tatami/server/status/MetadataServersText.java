package io.tatami.server.status;

import com.google.protobuf.ByteString;
import io.tatami.base.GroupId;
import io.tatami.base.UuidBytes;
import io.tatami.client.model.Json;
import io.tatami.protocol.wire.HeldReplica;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.protocol.wire.ReplicaMove;
import io.tatami.rpc.GroupLeaders;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Metadata servers, and what moves between them, for people and for programs to read. */
public record MetadataServersText(ListMetadataServersReply servers) {
    public void print(PrintWriter out) {
        out.printf("each group is held by %d%n", servers.getReplicas());
        out.printf("%n%-22s %-36s %-10s %6s %6s%n", "metadata server", "id", "state", "holds", "leads");
        for (MetadataServerInfo server : servers.getServerList()) {
            out.printf(
                    "%-22s %-36s %-10s %6d %6d%s%n",
                    address(server),
                    text(server.getServerId()),
                    state(server),
                    server.getHeldGroupCount(),
                    server.getLedGroupCount(),
                    isWell(server) ? "" : "  " + trouble(server));
        }
        out.printf("%n%-22s %-36s %s%n", "metadata server", "leads", "holds");
        for (MetadataServerInfo server : servers.getServerList()) {
            out.printf(
                    "%-22s %-36s %s%n",
                    address(server), groups(server.getLedGroupList()), groups(server.getHeldGroupList()));
        }
        if (!servers.getSettled()) {
            out.printf("%nunder way%n");
            moves().forEach(out::println);
        }
    }

    /** Whether all servers answer and all replicas take part. */
    public boolean isWell() {
        return servers.getServerList().stream().allMatch(MetadataServersText::isWell);
    }

    public static boolean isWell(MetadataServerInfo server) {
        return server.getAnswers()
                && server.getStoppedCount() == 0
                && !server.getLowSpace()
                && server.getClockAheadSeconds() == 0;
    }

    /** What is wrong with a server that is not well. */
    public static String trouble(MetadataServerInfo server) {
        if (!server.getAnswers()) {
            return "does not answer";
        }
        Stream<String> stopped = server.getStoppedList().stream()
                .map(replica -> new GroupId(replica.getGroup()) + " has stopped until the server starts again: "
                        + replica.getFailure());
        Stream<String> low = server.getLowSpace()
                ? Stream.of("its disk is almost full: free space there, before writes are refused")
                : Stream.empty();
        Stream<String> clock = server.getClockAheadSeconds() == 0
                ? Stream.empty()
                : Stream.of("its system's clock is " + server.getClockAheadSeconds()
                        + " s ahead and is not followed: correct the clock, or confirm it by a restart of the server");
        return Stream.of(stopped, low, clock).flatMap(told -> told).collect(Collectors.joining("; "));
    }

    /** A line for each replica that is on its way; else why none is, if any should. */
    List<String> moves() {
        return servers.getMoveCount() == 0 && !servers.getWaitsFor().isEmpty()
                ? List.of("waits: " + servers.getWaitsFor())
                : servers.getMoveList().stream().map(this::move).toList();
    }

    private String move(ReplicaMove move) {
        return new GroupId(move.getGroup()) + ": " + address(move.getFromServerId()) + " -> "
                + address(move.getToServerId()) + ", " + progress(move);
    }

    private static String progress(ReplicaMove move) {
        if (move.getToServerId().isEmpty()) {
            return "is being dropped there";
        }
        return switch (move.getStep()) {
            case OPENING, UNRECOGNIZED -> "is being opened there";
            case CATCHING_UP ->
                "has " + move.getEntriesThere() + " of " + move.getEntriesOfLeader() + " entries there"
                        + snapshot(move);
        };
    }

    /** Entries stand still until all of it has come. */
    private static String snapshot(ReplicaMove move) {
        return move.getSnapshotBytesTotal() == 0
                ? ""
                : String.format(
                        Locale.ROOT,
                        ", and %.1f of %.1f MiB of a snapshot",
                        (double) move.getSnapshotBytes() / (1 << 20),
                        (double) move.getSnapshotBytesTotal() / (1 << 20));
    }

    private String address(ByteString server) {
        return servers.getServerList().stream()
                .filter(known -> known.getServerId().equals(server))
                .map(MetadataServersText::address)
                .findFirst()
                .orElse("nobody");
    }

    public String json() {
        return Json.text(fields());
    }

    /** Under the names in JSON. */
    public Map<String, Object> fields() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("replicas", servers.getReplicas());
        all.put("settled", servers.getSettled());
        all.put("waits_for", servers.getWaitsFor());
        all.put(
                "servers",
                servers.getServerList().stream()
                        .map(MetadataServersText::server)
                        .toList());
        all.put(
                "moves",
                servers.getMoveList().stream().map(MetadataServersText::fields).toList());
        return all;
    }

    static Map<String, Object> server(MetadataServerInfo info) {
        Map<String, Object> server = new LinkedHashMap<>();
        server.put("id", text(info.getServerId()));
        server.put("address", address(info));
        server.put("state", state(info));
        server.put("answers", info.getAnswers());
        server.put("low_space", info.getLowSpace());
        server.put("clock_ahead_seconds", info.getClockAheadSeconds());
        server.put("version", info.getVersion());
        server.put("leads", names(info.getLedGroupList()));
        server.put("holds", names(info.getHeldGroupList()));
        server.put(
                "stopped",
                info.getStoppedList().stream().map(MetadataServersText::stopped).toList());
        return server;
    }

    private static Map<String, Object> stopped(HeldReplica replica) {
        Map<String, Object> stopped = new LinkedHashMap<>();
        stopped.put("group", new GroupId(replica.getGroup()).toString());
        stopped.put("failure", replica.getFailure());
        return stopped;
    }

    private static Map<String, Object> fields(ReplicaMove info) {
        Map<String, Object> move = new LinkedHashMap<>();
        move.put("group", new GroupId(info.getGroup()).toString());
        move.put("from", text(info.getFromServerId()));
        move.put("to", text(info.getToServerId()));
        move.put("step", info.getStep().name().toLowerCase(Locale.ROOT));
        move.put("entries_there", info.getEntriesThere());
        move.put("entries_of_leader", info.getEntriesOfLeader());
        move.put("snapshot_bytes", info.getSnapshotBytes());
        move.put("snapshot_bytes_total", info.getSnapshotBytesTotal());
        return move;
    }

    public static String address(MetadataServerInfo server) {
        return server.getEndpoint().getPort() == 0 ? "not seen yet" : GroupLeaders.text(server.getEndpoint());
    }

    /** An id as it is written; nothing for none. */
    public static String text(ByteString id) {
        return id.size() == UuidBytes.LENGTH
                ? UuidBytes.get(id.asReadOnlyByteBuffer()).toString()
                : "";
    }

    static String state(MetadataServerInfo server) {
        return switch (server.getState()) {
            case SPARE, UNRECOGNIZED -> "spare";
            case IN_SERVICE -> "in service";
            case LEAVING -> "leaving";
        };
    }

    private static List<String> names(List<Integer> groups) {
        return groups.stream().map(group -> new GroupId(group).toString()).toList();
    }

    private static String groups(List<Integer> groups) {
        return groups.isEmpty() ? "-" : names(groups).stream().collect(Collectors.joining(" "));
    }
}
