package io.tatami.server.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.GroupId;
import io.tatami.client.model.ClusterStatus;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.CacheStatus;
import io.tatami.protocol.wire.CachedPlan;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.HeardBlockServer;
import io.tatami.protocol.wire.HeldReplica;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.protocol.wire.PlanStatusReply;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.server.status.StatusReport;
import io.tatami.server.status.StatusReport.ServerState;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The console's figures out of what groups and servers tell. */
class ClusterJsonTest {
    private static final BlockServerInfo DRAINING = BlockServerInfo.newBuilder()
            .setServerId(7)
            .setState(BlockServerInfo.State.DRAINING)
            .setUsedBytes(100)
            .build();

    private static StatusReport report(BlockServerStatusReply status) {
        return report(ListMetadataServersReply.getDefaultInstance(), status);
    }

    private static StatusReport report(ListMetadataServersReply metadata, BlockServerStatusReply status) {
        ClusterMap map = ClusterMap.newBuilder()
                .addBlockServer(DRAINING)
                .setClusterName("kyoto")
                .setBalancePercent(-1)
                .build();
        StatusReport alone = StatusReport.of(
                new ClusterStatus(map, List.of()),
                List.of(),
                List.of(new ServerState(DRAINING, status, "", List.of())));
        return new StatusReport(alone.cluster(), metadata, alone.servers(), alone.copies());
    }

    private static String text(byte[] json) {
        return new String(json, StandardCharsets.UTF_8);
    }

    @Test
    void replicasAreToldWithTheEntriesTheyHaveAppliedAndServersWithWhenTheyWereHeard() {
        ListMetadataServersReply metadata = ListMetadataServersReply.newBuilder()
                .addServer(MetadataServerInfo.newBuilder()
                        .setEndpoint(Endpoint.newBuilder().setHost("m").setPort(9480))
                        .addHeld(HeldReplica.newBuilder().setGroup(2).setAppliedIndex(40)))
                .addHeard(HeardBlockServer.newBuilder().setServerId(7).setMillisAgo(1_500))
                .build();
        String json = text(
                new ClusterJson(report(metadata, BlockServerStatusReply.getDefaultInstance()), Map.of()).cluster());
        assertTrue(json.contains("\"heard_millis_ago\":{\"7\":1500}"), json);
        assertTrue(json.contains("{\"address\":\"m:9480\",\"groups\":{\"shard-2\":40}}"), json);
        assertTrue(json.contains("\"name\":\"kyoto\""), json);
        assertTrue(json.contains("\"balance_is_on\":false"), json);
    }

    @Test
    void serversAndVolumesThatDrainArePending() {
        BlockServerStatusReply status = BlockServerStatusReply.newBuilder()
                .addVolume(VolumeStatus.newBuilder()
                        .setPath("/dev/a")
                        .setDraining(true)
                        .setBlocks(1)
                        .setDrainWaitsFor("room"))
                .addVolume(VolumeStatus.newBuilder().setPath("/dev/b"))
                .build();
        String json = text(new ClusterJson(report(status), Map.of()).pending());
        assertTrue(json.contains("\"state\":\"draining\",\"drained\":false,\"used_bytes\":100"), json);
        assertTrue(json.contains("\"volume\":\"/dev/a\",\"drained\":false"), json);
        assertTrue(json.contains("\"waits_for\":\"room\""), json);
        assertEquals(-1, json.indexOf("/dev/b"), json);
    }

    @Test
    void cacheTiersAreToldWithTheirPlans() {
        BlockServerStatusReply status = BlockServerStatusReply.newBuilder()
                .setCache(CacheStatus.newBuilder()
                        .setPath("memory")
                        .setPlans(3)
                        .setBytesReadLate(9)
                        .addPlan(CachedPlan.newBuilder()
                                .setMark(-1)
                                .setProgress(PlanStatusReply.newBuilder().setPlannedBytes(5))))
                .build();
        String json = text(new ClusterJson(report(status), Map.of()).plans());
        assertTrue(json.startsWith("{\"tiers\":[{\"id\":7,"), json);
        assertTrue(json.contains("\"bytes_read_late\":9"), json);
        assertTrue(json.contains("\"plans\":3"), json);
        assertTrue(json.contains("\"parts\":[{\"plan\":\"ffffffff\",\"planned_bytes\":5,"), json);
    }

    private static StatusReport applied(long index) {
        GroupStatusReply status =
                GroupStatusReply.newBuilder().setAppliedIndex(index).build();
        ClusterStatus.GroupState group = new ClusterStatus.GroupState(GroupId.ofShard(3), "m:9480", status, "");
        return StatusReport.of(
                new ClusterStatus(ClusterMap.getDefaultInstance(), List.of(group)), List.of(), List.of());
    }

    @Test
    void batchesASecondAreOfTheTimeBetweenTwoReports() {
        GroupRates rates = new GroupRates();
        assertEquals(Map.of(), rates.of(applied(100), 0));
        assertEquals(Map.of("shard-3", 20.0), rates.of(applied(400), TimeUnit.SECONDS.toNanos(15)));
        // A store that was opened again may be behind.
        assertEquals(Map.of("shard-3", 0.0), rates.of(applied(350), TimeUnit.SECONDS.toNanos(30)));
    }
}
