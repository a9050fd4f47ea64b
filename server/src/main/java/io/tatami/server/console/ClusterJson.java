package io.tatami.server.console;

import io.tatami.base.GroupId;
import io.tatami.client.model.ClusterStatus;
import io.tatami.client.model.ClusterStatus.GroupState;
import io.tatami.client.model.Json;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.CachedPlan;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.server.status.MetadataServersText;
import io.tatami.server.status.StatusJson;
import io.tatami.server.status.StatusReport;
import io.tatami.server.status.StatusReport.ServerState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What the console's pages ask for, out of one report; under the names that {@code tatami status --json} has.
 *
 * @param batches a second, by group
 */
record ClusterJson(StatusReport report, Map<String, Double> batches) {
    private static final int BALANCE_OFF = -1;

    /** Everything that a status tells. */
    byte[] cluster() {
        Map<String, Object> json = new LinkedHashMap<>();
        ClusterStatus cluster = report.cluster();
        json.put("name", cluster.map().getClusterName());
        json.put("safe_mode", cluster.map().getSafeMode());
        json.put("balance_is_on", cluster.map().getBalancePercent() != BALANCE_OFF);
        json.putAll(StatusJson.fields(report));
        json.put("batches_per_second", batches);
        json.put("metadata", moves());
        json.put("heard_millis_ago", heard());
        json.put(
                "applied_entries",
                report.metadata().stream().map(ClusterJson::applied).toList());
        return bytes(json);
    }

    /** By the ids of block servers; without those that the namespace's leader has not heard. */
    private Map<String, Object> heard() {
        Map<String, Object> heard = new LinkedHashMap<>();
        report.metadataServers()
                .getHeardList()
                .forEach(server -> heard.put(String.valueOf(server.getServerId()), server.getMillisAgo()));
        return heard;
    }

    /** How far the replicas of a metadata server are, as it said last. */
    private static Map<String, Object> applied(MetadataServerInfo server) {
        Map<String, Object> entries = new LinkedHashMap<>();
        server.getHeldList()
                .forEach(replica -> entries.put(new GroupId(replica.getGroup()).toString(), replica.getAppliedIndex()));
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("address", MetadataServersText.address(server));
        json.put("groups", entries);
        return json;
    }

    private Map<String, Object> moves() {
        Map<String, Object> fields = new MetadataServersText(report.metadataServers()).fields();
        fields.remove("servers");
        return fields;
    }

    /** What waits: for deletion, for copies, to be moved. */
    byte[] pending() {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put(
                "groups",
                report.cluster().groups().stream().map(ClusterJson::waiting).toList());
        json.put("copies", StatusJson.copies(report));
        json.put("draining", draining());
        json.put("metadata", moves());
        return bytes(json);
    }

    private static Map<String, Object> waiting(GroupState group) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("group", group.group().toString());
        json.put("failure", group.failure());
        GroupStatusReply status = group.status();
        if (status != null) {
            json.put("reclaim_blocks", status.getPendingReclaimBlocks());
            json.put("reclaim_bytes", status.getPendingReclaimBytes());
            json.put("outbox", status.getPendingOutbox());
            json.put("transactions", status.getPendingTransactions());
            json.put("last_copy_blocks", status.getLastCopyBlocks());
            json.put("under_replicated_blocks", status.getUnderReplicatedBlocks());
            json.put("unjudged_blocks", status.getUnjudgedBlocks());
            json.put("leases", status.getLeases());
        }
        return json;
    }

    private List<Map<String, Object>> draining() {
        List<Map<String, Object>> draining = new ArrayList<>();
        for (ServerState server : report.servers()) {
            BlockServerInfo info = server.info();
            if (info.getState() == BlockServerInfo.State.DRAINING || info.getToBeEmptied()) {
                Map<String, Object> json = server(info);
                json.put("drained", info.getDrained());
                json.put("used_bytes", info.getUsedBytes());
                draining.add(json);
            }
            server.volumes().stream()
                    .map(StatusReport.VolumeState::status)
                    .filter(VolumeStatus::getDraining)
                    .forEach(volume -> draining.add(volume(info, volume)));
        }
        return draining;
    }

    private static Map<String, Object> volume(BlockServerInfo info, VolumeStatus volume) {
        Map<String, Object> json = server(info);
        json.put("volume", volume.getPath());
        json.put("drained", volume.getBlocks() == 0);
        json.put("used_bytes", volume.getUsedBytes());
        json.put("drained_in_millis", volume.getDrainedInMillis());
        json.put("waits_for", volume.getDrainWaitsFor());
        return json;
    }

    /** What access plans have on the cache tiers. */
    byte[] plans() {
        List<Map<String, Object>> tiers = new ArrayList<>();
        for (ServerState server : report.servers()) {
            BlockServerStatusReply status = server.status();
            if (status != null && status.hasCache()) {
                Map<String, Object> json = server(server.info());
                json.putAll(StatusJson.cache(status.getCache()));
                json.put(
                        "parts",
                        status.getCache().getPlanList().stream()
                                .map(ClusterJson::part)
                                .toList());
                tiers.add(json);
            }
        }
        return bytes(Map.of("tiers", tiers));
    }

    /** A plan's part on a server. */
    private static Map<String, Object> part(CachedPlan plan) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("plan", mark(plan.getMark()));
        json.putAll(Json.fields(plan.getProgress()));
        return json;
    }

    /** A plan's, as its id begins. */
    static String mark(int mark) {
        return String.format(Locale.ROOT, "%08x", mark);
    }

    private static Map<String, Object> server(BlockServerInfo info) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("id", info.getServerId());
        json.put("address", info.getData().getHost() + ":" + info.getData().getPort());
        json.put("state", info.getState().name().toLowerCase(Locale.ROOT));
        return json;
    }

    private static byte[] bytes(Map<String, Object> json) {
        return Json.text(json).getBytes(StandardCharsets.UTF_8);
    }
}
