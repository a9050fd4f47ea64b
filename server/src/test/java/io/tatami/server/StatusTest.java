package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.GroupId;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ClusterStatus;
import io.tatami.conf.Settings;
import io.tatami.protocol.wire.BlockHealthCounts;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.HeldReplica;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.protocol.wire.StuckBlock;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.server.cli.TatamiServer;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.Patience;
import io.tatami.server.node.StandaloneNode;
import io.tatami.server.status.CopiesState;
import io.tatami.server.status.StatusJson;
import io.tatami.server.status.StatusReport;
import io.tatami.server.status.StatusReport.ServerState;
import io.tatami.server.status.StatusReport.VolumeState;
import io.tatami.server.status.StatusText;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class StatusTest {
    private static final long CACHE_BYTES = 16L << 20;

    @TempDir
    private Path directory;

    @Test
    void aServersVolumesAndItsCacheTierAreTold() throws Exception {
        List<Path> volumes = List.of(directory.resolve("first"), directory.resolve("second"));
        BlockNode.CachePlace cache = new BlockNode.CachePlace(null, CACHE_BYTES);
        try (StandaloneNode node = StandaloneNode.open(
                        new StandaloneNode.Setup(directory.resolve("d"), volumes, 64L << 20, "localhost", 0, 1, cache),
                        Settings.of(Map.of()),
                        user -> List.of());
                TatamiClient client = ClusterAddress.of(node.uri())
                        .connect(new Patience(Duration.ofMinutes(1), Duration.ofMinutes(2), System.err::println))) {
            StatusReport report = StatusReport.of(client.cluster());

            assertTrue(report.isWell());
            StringWriter out = new StringWriter();
            PrintWriter written = new PrintWriter(out);
            CommandLine scrub = TatamiServer.commandLine().setOut(written).setErr(written);
            assertEquals(ExitCode.DONE, scrub.execute("scrub", node.uri()), out::toString);
            assertTrue(out.toString().contains(" of 2 volumes are being scrubbed"), out.toString());
            assertEquals(ExitCode.DONE, scrub.execute("scrub", "--stop", node.uri()));
            assertTrue(out.toString().contains("0 of 2 volumes"), out.toString());
            String text = text(report);
            assertTrue(text.matches("(?s).*1 +" + volumes.get(0) + " .* serves.*"), text);
            assertTrue(text.matches("(?s).*1 +" + volumes.get(1) + " .* serves.*"), text);
            assertTrue(text.matches("(?s).*cache tier.*staged.*16 MiB +0 B +0 B +serves.*"), text);
            String json = StatusJson.of(report);
            assertTrue(json.contains("\"well\":true"), json);
            assertTrue(json.contains("\"path\":\"" + volumes.get(1) + "\""), json);
            assertTrue(json.matches("(?s).*\"credit_gifts\":\\d+,\"credits_given\":\\d+.*"), json);
            assertTrue(json.matches("(?s).*\"group\":\"namespace\",[^}]*\"log_bytes\":[1-9].*"), json);
            assertTrue(
                    text.matches("(?s).*reclaim +log +p99\\Rnamespace [^\\n]* [1-9][0-9.]* MiB +[0-9.]+ ms\\R.*"),
                    text);
            assertTrue(
                    json.contains("\"capacity_bytes\":" + CACHE_BYTES + ",\"used_bytes\":0,\"bytes_staged\":0"), json);
        }
    }

    @Test
    void whatIsWrongWithAVolumeIsToldAndOnlyWhatStopsItIsAFailure() {
        VolumeStatus.Builder status = VolumeStatus.newBuilder().setPath("/d");
        assertEquals("serves", new VolumeState(status.build(), "").text());
        VolumeState slow = new VolumeState(status.setDamagedChunks(2).build(), "reads take long");
        assertEquals("2 damaged chunks; slow: reads take long", slow.text());
        assertTrue(slow.isWell());
        VolumeState damaged =
                new VolumeState(status.setStructureDamage("000007.log").build(), "");
        assertEquals("damaged: 000007.log; 2 damaged chunks", damaged.text());
        assertFalse(damaged.isWell());
        assertFalse(new VolumeState(
                        VolumeStatus.newBuilder().setFailure("cannot flush").build(), "")
                .isWell());
    }

    @Test
    void theOnlyVolumeOfAServerIsComparedWithThoseOfOthers() {
        StatusReport report = StatusReport.of(
                new ClusterStatus(ClusterMap.getDefaultInstance(), List.of()),
                List.of(),
                List.of(
                        server(1, 10_000, 3_000),
                        server(2, 110_000, 3_000),
                        server(3, 11_000, 2_000),
                        server(5, 12_000, 2_000),
                        server(4, 0, 0)));

        assertEquals(
                List.of(
                        "",
                        "reads of 4 MiB take 10.0 times as long as those of its peers (110.0 ms, 11.0 ms)",
                        "",
                        "",
                        ""),
                report.servers().stream()
                        .map(server -> server.volumes().get(0).slowness())
                        .toList());
    }

    @Test
    void aServerThatDoesNotAnswerIsAFailureAndItsReasonIsTold() {
        BlockServerInfo info = BlockServerInfo.newBuilder()
                .setServerId(7)
                .setState(BlockServerInfo.State.ACTIVE)
                .build();
        StatusReport report = StatusReport.of(
                new ClusterStatus(ClusterMap.getDefaultInstance(), List.of()),
                List.of(),
                List.of(new ServerState(info, null, "no \"way\"\n", List.of())));

        assertFalse(report.isWell());
        assertTrue(text(report).contains("does not answer: no \"way\""));
        assertTrue(StatusJson.of(report).contains("\"failure\":\"no \\\"way\\\"\\n\""), StatusJson.of(report));
    }

    @Test
    void theLogAndTheTimesOfAGroupAreToldUnlessItsLeaderIsOfAnEarlierRelease() {
        GroupStatusReply known = GroupStatusReply.newBuilder()
                .setLogBytes(3 << 20)
                .setChangeMicrosP99(12_345)
                .build();
        StatusReport report =
                of(known, GroupStatusReply.newBuilder().setFiles(1).build());
        String text = text(report);
        assertTrue(text.matches("(?s).*shard-0 +m:9480 [^\\n]* 0 B +3.0 MiB +12.3 ms\\R.*"), text);
        assertTrue(text.matches("(?s).*shard-1 +m:9480 [^\\n]* 0 B +- +-\\R.*"), text);
        assertTrue(StatusJson.of(report).contains("\"log_bytes\":3145728,\"change_micros_p99\":12345"));
    }

    private static StatusReport of(GroupStatusReply... shards) {
        List<ClusterStatus.GroupState> groups = new ArrayList<>();
        for (GroupStatusReply shard : shards) {
            groups.add(new ClusterStatus.GroupState(GroupId.ofShard(groups.size()), "m:9480", shard, ""));
        }
        return StatusReport.of(new ClusterStatus(ClusterMap.getDefaultInstance(), groups), List.of(), List.of());
    }

    private static CopiesState waiting(CopiesStatusReply... shards) {
        GroupStatusReply group = GroupStatusReply.newBuilder()
                .setFiles(10)
                .setFilesOfSeveralCopies(7)
                .setLastCopyBlocks(2)
                .setUnderReplicatedBlocks(3)
                .build();
        return new CopiesState(List.of(group), List.of(shards));
    }

    private static StatusReport of(CopiesState copies) {
        return new StatusReport(
                new ClusterStatus(ClusterMap.getDefaultInstance(), List.of()),
                ListMetadataServersReply.getDefaultInstance(),
                List.of(),
                copies);
    }

    @Test
    void copiesThatWaitAreToldWithTheTimeToHeal() {
        CopiesStatusReply.Builder shard = CopiesStatusReply.newBuilder()
                .addWaiting(BlockHealthCounts.newBuilder()
                        .setUnderReplicated(2)
                        .setCopiesLacking(3)
                        .setLastCopy(2))
                .addWaiting(BlockHealthCounts.newBuilder().setUnderReplicated(3).setCopiesLacking(3))
                .setIntendedCopies(4)
                .setBrake("a rack is silent")
                .addStuck(StuckBlock.newBuilder().setBlockId(0x2a).setReason("no host"));
        StatusReport unknown = of(waiting(shard.setMadeWithinMillis(60_000).build()));
        String text = text(unknown);
        assertTrue(text.contains("copies: 2 blocks wait with one good copy left, 3 with fewer"), text);
        assertTrue(text.contains("blocks that wait: 0 healthy, 5 under-replicated"), text);
        assertTrue(text.contains("2 blocks of several copies have one left that can be read"), text);
        assertTrue(text.contains("all are made in an unknown time"), text);
        assertTrue(text.contains("3 files ask for one copy"), text);
        assertTrue(text.contains("copying is braked: a rack is silent"), text);
        assertTrue(text.contains("b2a waits: no host"), text);
        assertTrue(StatusJson.of(unknown).contains("\"seconds_to_heal\":\"unknown\""), StatusJson.of(unknown));

        StatusReport known = of(waiting(shard.setCopiesMade(2).build()));
        assertTrue(text(known).contains("all are made in about 3 min"), text(known));
        assertTrue(StatusJson.of(known).contains("\"seconds_to_heal\":181"), StatusJson.of(known));
    }

    /** Whoever is not the superuser sees what the groups tell. */
    @Test
    void copiesThatWaitAreToldWithoutTheWordOfLeaders() {
        String text = text(of(waiting()));
        assertTrue(text.contains("copies: 2 blocks wait"), text);
        assertFalse(text.contains("are made in"), text);
        assertFalse(text(of(new CopiesState(List.of(), List.of()))).contains("copies:"));
    }

    @Test
    void aServerWithLittleRoomIsTold() {
        MetadataServerInfo server = MetadataServerInfo.newBuilder()
                .setEndpoint(Endpoint.newBuilder().setHost("m1").setPort(9480))
                .setAnswers(true)
                .setLowSpace(true)
                .build();
        StatusReport report = StatusReport.of(
                new ClusterStatus(ClusterMap.getDefaultInstance(), List.of()), List.of(server), List.of());

        assertFalse(report.isWell());
        assertTrue(text(report).contains("its disk is almost full: free space there"), text(report));
        assertTrue(StatusJson.of(report).contains("\"low_space\":true"), StatusJson.of(report));
    }

    @Test
    void aServerWhoseClockIsAheadIsTold() {
        MetadataServerInfo server = MetadataServerInfo.newBuilder()
                .setEndpoint(Endpoint.newBuilder().setHost("m1").setPort(9480))
                .setAnswers(true)
                .setClockAheadSeconds(3_600)
                .build();
        StatusReport report = StatusReport.of(
                new ClusterStatus(ClusterMap.getDefaultInstance(), List.of()), List.of(server), List.of());

        assertFalse(report.isWell());
        assertTrue(text(report).contains("clock is 3600 s ahead and is not followed"), text(report));
        assertTrue(StatusJson.of(report).contains("\"clock_ahead_seconds\":3600"), StatusJson.of(report));
    }

    @Test
    void aReplicaThatHasStoppedIsToldWithItsReason() {
        MetadataServerInfo server = MetadataServerInfo.newBuilder()
                .setEndpoint(Endpoint.newBuilder().setHost("m1").setPort(9480))
                .setState(MetadataServerInfo.State.IN_SERVICE)
                .setAnswers(true)
                .addStopped(HeldReplica.newBuilder().setGroup(1).setFailure("no space on /d"))
                .build();
        StatusReport report = StatusReport.of(
                new ClusterStatus(ClusterMap.getDefaultInstance(), List.of()), List.of(server), List.of());

        assertFalse(report.isWell());
        String text = text(report);
        assertTrue(text.contains("m1:9480"), text);
        assertTrue(text.contains("shard-1 has stopped until the server starts again: no space on /d"), text);
        String json = StatusJson.of(report);
        assertTrue(json.contains("\"stopped\":[{\"group\":\"shard-1\",\"failure\":\"no space on /d\"}]"), json);
    }

    private static ServerState server(int id, long largeReadMicros, long smallWriteMicros) {
        BlockServerStatusReply reply = BlockServerStatusReply.newBuilder()
                .setServerId(id)
                .addVolume(VolumeStatus.newBuilder()
                        .setLargeReadMicros(largeReadMicros)
                        .setSmallWriteMicros(smallWriteMicros))
                .build();
        return new ServerState(BlockServerInfo.newBuilder().setServerId(id).build(), reply, "", List.of());
    }

    private static String text(StatusReport report) {
        StringWriter text = new StringWriter();
        new StatusText(new PrintWriter(text)).print(report);
        return text.toString();
    }
}
