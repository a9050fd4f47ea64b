package io.tatami.server.traffic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.model.GroupTraffic;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.CountedDirectory;
import io.tatami.protocol.wire.CountedKey;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupTrafficReply;
import io.tatami.server.traffic.TrafficRates.Rate;
import io.tatami.server.traffic.TrafficRates.ServerRate;
import io.tatami.server.traffic.TrafficRates.Unmeasured;
import io.tatami.server.traffic.TrafficReading.ServerBytes;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rates of readings that are made up. */
final class TrafficRatesTest {
    private static final GroupId ZERO = GroupId.ofShard(0);
    private static final GroupId ONE = GroupId.ofShard(1);
    private static final String LEADER = "meta1:9480";

    /** Counts of a leader that began to count so long ago. */
    private static GroupTrafficReply.Builder counts(long source, long ageMillis, long requests) {
        return GroupTrafficReply.newBuilder()
                .setSource(source)
                .setAgeMillis(ageMillis)
                .setRequests(requests);
    }

    private static CountedKey key(String key, long count, long error) {
        return CountedKey.newBuilder()
                .setKey(key)
                .setCount(count)
                .setError(error)
                .build();
    }

    private static CountedDirectory directory(long id, long count) {
        return CountedDirectory.newBuilder().setDirectoryId(id).setCount(count).build();
    }

    private static GroupTraffic told(GroupId group, GroupTrafficReply.Builder counts) {
        return new GroupTraffic(group, LEADER, counts.build(), null);
    }

    private static GroupTraffic silent(GroupId group) {
        return new GroupTraffic(group, "", null, new TatamiException(ErrorCode.UNAVAILABLE, "nobody leads it"));
    }

    private static TrafficRates ofGroups(List<GroupTraffic> before, List<GroupTraffic> now) {
        return TrafficRates.between(new TrafficReading(before, List.of()), new TrafficReading(now, List.of()));
    }

    @Test
    void differencesAreDividedByTheTimeOfTheLeader() {
        TrafficRates rates = ofGroups(
                List.of(told(ZERO, counts(1, 10_000, 100).addUser(key("anna", 60, 0)))),
                List.of(told(ZERO, counts(1, 14_000, 180).addUser(key("anna", 100, 0)))));
        assertEquals(1, rates.measuredGroups());
        assertEquals(20, rates.requests());
        assertEquals(List.of(new Rate<>("anna", 10)), rates.users());
        assertEquals(List.of(), rates.unmeasured());
    }

    @Test
    void groupsAreAddedUpByKeyAndByTheServerThatLeadsThem() {
        TrafficRates rates = ofGroups(
                List.of(
                        told(ZERO, counts(1, 1_000, 0).addDirectory(directory(7, 0))),
                        told(ONE, counts(2, 5_000, 0)),
                        told(GroupId.ofShard(2), counts(3, 0, 0))),
                List.of(
                        told(
                                ZERO,
                                counts(1, 2_000, 10)
                                        .addDirectory(directory(7, 6))
                                        .addDirectory(directory(8, 4))),
                        told(ONE, counts(2, 7_000, 8).addDirectory(directory(8, 8))),
                        new GroupTraffic(
                                GroupId.ofShard(2),
                                "meta2:9480",
                                counts(3, 1_000, 3).build(),
                                null)));
        assertEquals(17, rates.requests());
        assertEquals(
                List.of(new Rate<>(new DirectoryId(8), 8), new Rate<>(new DirectoryId(7), 6)), rates.directories());
        assertEquals(List.of(new Rate<>(LEADER, 14), new Rate<>("meta2:9480", 3)), rates.metadataServers());
    }

    @Test
    void aGroupWhoseLeaderBeganMeanwhileHasNoRate() {
        TrafficRates rates = ofGroups(
                List.of(told(ZERO, counts(1, 50_000, 900)), told(ONE, counts(2, 1_000, 10))),
                List.of(told(ZERO, counts(9, 1_000, 5).addUser(key("anna", 5, 0))), told(ONE, counts(2, 2_000, 12))));
        assertEquals(1, rates.measuredGroups());
        assertEquals(2, rates.requests());
        assertEquals(List.of(), rates.users());
        assertEquals(
                List.of(new Unmeasured("shard-0", "counts anew, as its leader has begun meanwhile")),
                rates.unmeasured());
    }

    @Test
    void groupsThatDoNotTellTwiceAreNamedWithTheReason() {
        TrafficRates rates = ofGroups(
                List.of(told(ZERO, counts(1, 1_000, 1)), silent(ONE)),
                List.of(silent(ZERO), told(ONE, counts(2, 1_000, 1)), told(GroupId.NAMESPACE, counts(3, 1, 1))));
        assertEquals(0, rates.measuredGroups());
        assertEquals(
                List.of(
                        new Unmeasured("shard-0", "does not tell: nobody leads it"),
                        new Unmeasured("shard-1", "did not tell before"),
                        new Unmeasured("namespace", "did not tell before")),
                rates.unmeasured());
    }

    @Test
    void twoReadingsOfOneMomentHaveNoRate() {
        List<GroupTraffic> once = List.of(told(ZERO, counts(1, 1_000, 1)));
        TrafficRates rates = ofGroups(once, once);
        assertEquals(0, rates.requests());
        assertEquals(
                "was asked twice at the same moment", rates.unmeasured().get(0).reason());
    }

    @Test
    void aKeyThatEnteredMeanwhileCameAsOftenAsItsCountIsAboveItsError() {
        TrafficRates rates = ofGroups(
                List.of(told(
                        ZERO, counts(1, 1_000, 0).addUser(key("stayed", 40, 30)).addUser(key("returned", 40, 0)))),
                List.of(told(
                        ZERO,
                        counts(1, 2_000, 60)
                                .addUser(key("stayed", 45, 30))
                                .addUser(key("returned", 52, 45))
                                .addUser(key("new", 47, 46))
                                .addUser(key("idle", 46, 46)))));
        assertEquals(List.of(new Rate<>("returned", 7), new Rate<>("stayed", 5), new Rate<>("new", 1)), rates.users());
    }

    @Test
    void clientsOnALeadersOwnHostAreToldByItsName() {
        TrafficRates rates = ofGroups(
                List.of(told(ZERO, counts(1, 1_000, 0)), told(ONE, counts(2, 1_000, 0))),
                List.of(
                        told(
                                ZERO,
                                counts(1, 2_000, 4).addClientHost(key("", 3, 0)).addClientHost(key("10.0.0.1", 1, 0))),
                        told(ONE, counts(2, 2_000, 5).addClientHost(key("", 5, 0)))));
        assertEquals(List.of(new Rate<>("meta1", 8), new Rate<>("10.0.0.1", 1)), rates.clients());
    }

    @Test
    void noRateIsNegativeWhateverIsTold() {
        TrafficRates rates = ofGroups(
                List.of(told(ZERO, counts(1, 1_000, 100).addUser(key("anna", 60, 0)))),
                List.of(told(ZERO, counts(1, 2_000, 50).addUser(key("anna", 40, 0)))));
        assertEquals(0, rates.requests());
        assertEquals(List.of(), rates.users());
    }

    private static ServerBytes server(int id, long incarnation, long atSeconds, long read, long written) {
        return new ServerBytes(
                info(id, incarnation),
                atSeconds * 1_000_000_000L,
                BlockServerStatusReply.newBuilder()
                        .setBytesRead(read)
                        .setBytesWritten(written)
                        .build(),
                null);
    }

    private static BlockServerInfo info(int id, long incarnation) {
        return BlockServerInfo.newBuilder()
                .setServerId(id)
                .setIncarnation(incarnation)
                .setData(Endpoint.newBuilder().setHost("node" + id).setPort(9_000))
                .build();
    }

    private static TrafficRates ofServers(List<ServerBytes> before, List<ServerBytes> now) {
        return TrafficRates.between(new TrafficReading(List.of(), before), new TrafficReading(List.of(), now));
    }

    @Test
    void blockServersAreMeasuredEachOverItsOwnTimeTheBusiestFirst() {
        TrafficRates rates = ofServers(
                List.of(server(1, 5, 10, 1_000, 0), server(2, 6, 10, 0, 0)),
                List.of(server(1, 5, 12, 3_000, 400), server(2, 6, 14, 4_000, 8_000)));
        assertEquals(
                List.of(new ServerRate(2, "node2:9000", 1_000, 2_000), new ServerRate(1, "node1:9000", 1_000, 200)),
                rates.blockServers());
    }

    @Test
    void blockServersThatStartedAgainJoinedOrAreSilentHaveNoRates() {
        ServerBytes silent = new ServerBytes(
                info(4, 1), 0, null, new TatamiException(ErrorCode.DEADLINE_EXCEEDED, "no answer within 10000 ms"));
        TrafficRates rates = ofServers(
                List.of(server(1, 5, 10, 1_000, 0), server(2, 6, 10, 1_000, 0), server(4, 1, 10, 1, 1)),
                List.of(server(1, 7, 12, 9_000, 0), server(2, 6, 12, 10, 0), server(3, 1, 12, 0, 0), silent));
        assertEquals(List.of(), rates.blockServers());
        assertEquals(
                List.of(
                        new Unmeasured("block server 1", "counts anew, as it has started again"),
                        new Unmeasured("block server 2", "counts anew, as it has started again"),
                        new Unmeasured("block server 3", "did not tell before"),
                        new Unmeasured("block server 4", "does not tell: no answer within 10000 ms")),
                rates.unmeasured());
        assertTrue(rates.metadataServers().isEmpty());
    }
}
