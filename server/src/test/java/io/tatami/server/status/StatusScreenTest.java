package io.tatami.server.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.GroupId;
import io.tatami.client.model.ClusterStatus;
import io.tatami.client.model.ClusterStatus.GroupState;
import io.tatami.protocol.wire.BlockHealthCounts;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.CacheStatus;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupStatusReply;
import io.tatami.protocol.wire.HeldReplica;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.protocol.wire.StuckBlock;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.server.status.StatusReport.ServerState;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What the first screen of a status shows, of a small cluster and of a large one, that are well and that are not. */
final class StatusScreenTest {
    private static final int SCREEN_LINES = 40;
    private static final long TIB = 1L << 40;

    private final List<ServerState> servers = new ArrayList<>();
    private final List<MetadataServerInfo> metadata = new ArrayList<>();
    private final List<GroupState> groups = new ArrayList<>();
    private final ClusterMap.Builder map = ClusterMap.newBuilder();
    private CopiesStatusReply shard = CopiesStatusReply.getDefaultInstance();

    private void addGroups(int shards) {
        for (int group = 0; group <= shards; group++) {
            groups.add(new GroupState(
                    group == 0 ? GroupId.NAMESPACE : GroupId.ofShard(group - 1),
                    "m1:9480",
                    GroupStatusReply.newBuilder().setFiles(10).setBlocks(20).build(),
                    ""));
        }
    }

    private static MetadataServerInfo.Builder metadataServer(int number) {
        return MetadataServerInfo.newBuilder()
                .setEndpoint(Endpoint.newBuilder().setHost("m" + number).setPort(9480))
                .setState(MetadataServerInfo.State.IN_SERVICE)
                .setAnswers(true);
    }

    private static VolumeStatus.Builder volume() {
        return VolumeStatus.newBuilder().setPath("/disk").setCapacityBytes(TIB).setFreeBytes(TIB / 2);
    }

    private void addServer(int id, State state, VolumeStatus.Builder... volumes) {
        addServer(id, state, "", CacheStatus.getDefaultInstance(), volumes);
    }

    private void addServer(int id, State state, String failure, CacheStatus cache, VolumeStatus.Builder... volumes) {
        BlockServerInfo info = BlockServerInfo.newBuilder()
                .setServerId(id)
                .setState(state)
                .setData(Endpoint.newBuilder().setHost("h" + id).setPort(9482))
                .setRack("/rack-" + id % 2)
                .setCapacityBytes(TIB)
                .setUsedBytes(TIB / 2)
                .setFreeBytes(TIB / 2)
                .build();
        map.addBlockServer(info);
        BlockServerStatusReply.Builder reply =
                BlockServerStatusReply.newBuilder().setServerId(id).setCache(cache);
        for (VolumeStatus.Builder volume : volumes) {
            reply.addVolume(volume);
        }
        boolean answers = failure.isEmpty() && state != State.DEAD;
        servers.add(new ServerState(info, answers ? reply.build() : null, failure, List.of()));
    }

    private StatusReport report() {
        StatusReport alone = StatusReport.of(new ClusterStatus(map.build(), groups), metadata, servers);
        return new StatusReport(
                alone.cluster(),
                alone.metadataServers(),
                alone.servers(),
                new CopiesState(alone.copies().groups(), List.of(shard)));
    }

    private static String screen(StatusReport report) {
        StringWriter text = new StringWriter();
        new StatusScreen(new PrintWriter(text)).print(report);
        return text.toString();
    }

    private static String racks(StatusReport report) {
        StringWriter text = new StringWriter();
        new StatusScreen(new PrintWriter(text)).printRacks(report);
        return text.toString();
    }

    private static void assertFits(String screen) {
        assertTrue(screen.lines().count() <= SCREEN_LINES, () -> screen.lines().count() + " lines: " + screen);
    }

    /** The cluster that most have: three of each. */
    private void makeSmall() {
        addGroups(8);
        IntStream.rangeClosed(1, 3)
                .forEach(number -> metadata.add(metadataServer(number).build()));
        IntStream.rangeClosed(1, 3).forEach(id -> addServer(id, State.ACTIVE, volume(), volume()));
    }

    @Test
    void smallClusterThatIsWellShowsEveryServerOnOneScreen() {
        makeSmall();
        StatusReport report = report();

        String screen = screen(report);

        assertTrue(report.isWell());
        assertTrue(screen.startsWith("all is well"), screen);
        assertFits(screen);
        assertTrue(screen.contains("content          90 files, 0 directories, 180 blocks"), screen);
        assertTrue(screen.contains("3 active; 6 of 6 volumes serve"), screen);
        for (String server : List.of("m1:9480", "m3:9480", "h1:9482", "h3:9482")) {
            assertTrue(screen.contains(server), screen);
        }
    }

    @Test
    void firstLinesTellWhatIsWrongWithTheCommandToRun() {
        makeSmall();
        addServer(4, State.DEAD);
        StatusReport report = report();

        List<String> lines = screen(report).lines().toList();

        assertFalse(report.isWell());
        assertEquals("1 problems", lines.get(0));
        assertEquals("1. block servers are dead: 4 at h4:9482", lines.get(1));
        assertTrue(lines.get(2).contains("tatami start block --data DIR"), lines::toString);
        assertTrue(lines.get(2).contains("tatami admin block give-up SERVER"), lines::toString);
    }

    @Test
    void warningsAreToldAndAreNoFailure() {
        makeSmall();
        addServer(4, State.ACTIVE, volume().setDamagedChunks(2));
        StatusReport report = report();

        assertTrue(report.isWell());
        String screen = screen(report);
        assertTrue(screen.startsWith("1 problems, none of which stops the cluster"), screen);
        assertTrue(screen.contains("volumes have damaged chunks: /disk of server 4 (2)"), screen);
    }

    /**
     * One of everything that can be wrong, so that each is told, and whatever makes the exit code 1 is called a
     * failure.
     */
    private void breakEverything(int firstId) {
        groups.add(new GroupState(GroupId.ofShard(200), "m9:9480", null, "no answer"));
        metadata.add(metadataServer(91).setAnswers(false).build());
        metadata.add(metadataServer(92)
                .addStopped(HeldReplica.newBuilder().setGroup(1).setFailure("no space"))
                .build());
        metadata.add(metadataServer(93).setLowSpace(true).build());
        metadata.add(metadataServer(94).setClockAheadSeconds(7).build());
        addServer(firstId, State.DEAD);
        addServer(firstId + 1, State.ACTIVE, "refused\nat once", CacheStatus.getDefaultInstance());
        addServer(firstId + 2, State.STALE, volume());
        addServer(firstId + 3, State.ACTIVE, volume().setFailure("cannot flush"));
        addServer(firstId + 4, State.ACTIVE, volume().setStructureDamage("000007.log"));
        addServer(firstId + 5, State.ACTIVE, volume().setDamagedChunks(2));
        addServer(firstId + 6, State.ACTIVE, volume().setSlowness("reads take long"));
        addServer(
                firstId + 7,
                State.ACTIVE,
                volume().setDraining(true).setBlocks(1).setDrainWaitsFor("a host"));
        addServer(
                firstId + 8,
                State.ACTIVE,
                "",
                CacheStatus.newBuilder().setFailure("broken").build(),
                volume());
        map.setSafeMode(true);
        shard = CopiesStatusReply.newBuilder()
                .addWaiting(BlockHealthCounts.newBuilder().setMissing(2).setCopiesLacking(3))
                .setBrake("a rack is silent")
                .setMadeWithinMillis(1)
                .addStuck(StuckBlock.newBuilder().setBlockId(1).setReason("no host"))
                .build();
    }

    @Test
    void everyTroubleHasARemedyAndTheWorstComesFirst() {
        makeSmall();
        breakEverything(10);
        List<Problem> problems = report().problems();

        assertEquals(17, problems.size(), problems::toString);
        assertEquals(9, problems.stream().filter(Problem::isFailure).count());
        assertTrue(problems.subList(0, 9).stream().allMatch(Problem::isFailure));
        assertTrue(problems.stream().noneMatch(problem -> problem.remedy().isBlank()));
        assertTrue(
                problems.stream().flatMap(problem -> problem.lines().stream()).noneMatch(line -> line.contains("\n")));
        String json = StatusJson.of(report());
        for (Problem problem : problems) {
            assertTrue(json.contains("\"what\":\"" + problem.what() + "\""), json);
            assertTrue(json.contains("\"remedy\":\"" + problem.remedy() + "\""), json);
        }
    }

    @Test
    void eachFailureAloneMakesTheClusterUnwellAndNoWarningDoes() {
        makeSmall();
        breakEverything(10);
        StatusReport broken = report();
        assertEquals(broken.problems().stream().anyMatch(Problem::isFailure), !broken.isWell());
        for (ServerState server : broken.servers()) {
            StatusReport one = StatusReport.of(
                    new ClusterStatus(ClusterMap.getDefaultInstance(), List.of()), List.of(), List.of(server));
            assertEquals(one.problems().stream().noneMatch(Problem::isFailure), one.isWell(), server::toString);
        }
        for (MetadataServerInfo server : broken.metadata()) {
            StatusReport one = StatusReport.of(
                    new ClusterStatus(ClusterMap.getDefaultInstance(), List.of()), List.of(server), List.of());
            assertEquals(one.problems().isEmpty(), one.isWell(), server::toString);
        }
    }

    @Test
    void largeClusterWithManyTroublesFitsOneScreenAndCountsItsServers() {
        addGroups(64);
        IntStream.rangeClosed(1, 5)
                .forEach(number -> metadata.add(metadataServer(number).build()));
        IntStream.rangeClosed(1, 280).forEach(id -> addServer(id, State.ACTIVE, volume()));
        IntStream.rangeClosed(281, 291).forEach(id -> addServer(id, State.DEAD));
        breakEverything(292);

        String screen = screen(report());

        assertEquals(300, servers.size());
        assertFits(screen);
        assertTrue(screen.startsWith("17 problems\n1. metadata groups do not answer"), screen);
        assertTrue(screen.contains("287 active, 12 dead, 1 stale"), screen);
        assertTrue(screen.contains("block servers are dead (12): 281 at h281:9482; 282 at h282:9482"), screen);
        assertTrue(screen.contains("; and 9 more"), screen);
        assertFalse(screen.contains("h7:9482"), screen);
    }

    @Test
    void racksShowTheirServersWithTheRoom() {
        makeSmall();
        addServer(4, State.DEAD);
        addServer(5, State.GONE);

        String racks = racks(report());

        assertTrue(
                racks.contains("/rack-0                            1 of 2         1.0 TiB    512 GiB    512 GiB"),
                racks);
        assertTrue(racks.contains("/rack-1                            2 of 2         2.0 TiB"), racks);
        assertTrue(racks.contains("    4 h4:9482"), racks);
        assertFalse(racks.contains("h5:9482"), racks);
        String json = StatusJson.of(report());
        assertTrue(
                json.contains("{\"rack\":\"/rack-0\",\"servers\":[2,4],\"active\":1,\"capacity_bytes\":" + TIB), json);
    }
}
