package io.tatami.server.status;

import io.tatami.client.model.ClusterStatus;
import io.tatami.client.model.Json;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.CacheStatus;
import io.tatami.protocol.wire.GroupReplica;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.rpc.GroupLeaders;
import io.tatami.server.status.StatusReport.ServerState;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** A status report as one JSON object; sizes are in bytes, and names say so. */
public final class StatusJson {
    private StatusJson() {}

    public static String of(StatusReport report) {
        return Json.text(fields(report));
    }

    /** The same, to be added to. */
    public static Map<String, Object> fields(StatusReport report) {
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("well", report.isWell());
        status.put("problems", report.problems().stream().map(Problem::json).toList());
        status.put("capacity_bytes", report.cluster().capacityBytes());
        status.put("used_bytes", report.cluster().usedBytes());
        status.put("free_bytes", report.cluster().freeBytes());
        status.put("copies", copies(report));
        status.put(
                "groups",
                report.cluster().groups().stream()
                        .map(group -> group(group, report.cluster()))
                        .toList());
        status.put(
                "metadata_servers",
                report.metadata().stream().map(MetadataServersText::server).toList());
        status.put(
                "block_servers",
                report.servers().stream().map(StatusJson::server).toList());
        status.put("racks", new RackText(report.cluster().map().getBlockServerList()).json());
        return status;
    }

    /** The field of this name alone. */
    public static Map<String, Object> copies(StatusReport report) {
        return CopiesText.json(report.copies());
    }

    private static Map<String, Object> group(ClusterStatus.GroupState state, ClusterStatus cluster) {
        Map<String, Object> group = new LinkedHashMap<>();
        group.put("group", state.group().toString());
        group.put("leader", state.address());
        group.put(
                "replicas",
                cluster.replicas(state.group()).stream()
                        .map(StatusJson::replica)
                        .toList());
        group.put("failure", state.failure());
        GroupStatusReply numbers = state.status();
        if (numbers != null) {
            group.putAll(Json.fields(numbers));
        }
        return group;
    }

    private static Map<String, Object> replica(GroupReplica replica) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("address", GroupLeaders.text(replica.getEndpoint()));
        fields.put("member", replica.getMember());
        return fields;
    }

    private static Map<String, Object> server(ServerState state) {
        BlockServerInfo info = state.info();
        Map<String, Object> server = new LinkedHashMap<>();
        server.put("id", info.getServerId());
        server.put("address", info.getData().getHost() + ":" + info.getData().getPort());
        server.put("rack", info.getRack());
        server.put("state", info.getState().name().toLowerCase(Locale.ROOT));
        server.put("drained", info.getDrained());
        server.put("streams", info.getStreams());
        server.put("capacity_bytes", info.getCapacityBytes());
        server.put("used_bytes", info.getUsedBytes());
        server.put("free_bytes", info.getFreeBytes());
        server.put("failure", state.failure());
        server.put("volumes", state.volumes().stream().map(StatusJson::volume).toList());
        BlockServerStatusReply status = state.status();
        if (status != null) {
            server.put("version", status.getVersion());
            server.put("credit_gifts", status.getCreditGifts());
            server.put("credits_given", status.getCreditsGiven());
            server.put("copy_bytes_per_second", status.getCopyBytesPerSecond());
            server.put("pulls_running", status.getPullsRunning());
            server.put("pulls_queued", status.getPullsQueued());
            server.put("copies_made", status.getCopiesMade());
            server.put("bytes_pulled", status.getBytesPulled());
            if (status.hasCache()) {
                server.put("cache", cache(status.getCache()));
            }
        }
        return server;
    }

    /** Without its plans one by one. */
    public static Map<String, Object> cache(CacheStatus cache) {
        Map<String, Object> fields = new LinkedHashMap<>(Json.fields(cache));
        fields.remove("plan");
        return fields;
    }

    private static Map<String, Object> volume(StatusReport.VolumeState state) {
        Map<String, Object> volume = new LinkedHashMap<>(Json.fields(state.status()));
        volume.put("slowness", state.slowness());
        return volume;
    }
}
