package io.tatami.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.protocol.wire.GroupReplica;
import java.net.InetSocketAddress;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class GroupLeadersTest {
    private static final GroupId SHARD = GroupId.ofShard(0);
    private static final TatamiException SILENT = new TatamiException(ErrorCode.UNAVAILABLE, "no answer");

    private final GroupLeaders leaders = new GroupLeaders();

    private static InetSocketAddress at(int port) {
        return InetSocketAddress.createUnresolved("host", port);
    }

    private static Endpoint endpoint(int port) {
        return Endpoint.newBuilder().setHost("host").setPort(port).build();
    }

    private static ClusterMap map(long epoch, int leader, int... replicas) {
        GroupLocation.Builder location =
                GroupLocation.newBuilder().setGroup(SHARD.value()).setLeader(endpoint(leader));
        for (int replica : replicas) {
            location.addReplica(GroupReplica.newBuilder().setEndpoint(endpoint(replica)));
        }
        return ClusterMap.newBuilder().setEpoch(epoch).addGroup(location).build();
    }

    private static TatamiException refusal(Detail detail) {
        return new TatamiException(ErrorCode.NOT_LEADER, "not here", detail);
    }

    @Test
    void nobodyLeadsBeforeThereIsAMap() {
        assertNull(leaders.leader(SHARD));
        assertFalse(leaders.failed(SHARD, at(1), SILENT));
    }

    @Test
    void whomARefusalNamesIsAskedNext() {
        leaders.offer(map(1, 1, 1, 2, 3));
        assertTrue(leaders.failed(SHARD, at(1), refusal(new Detail.Leader("host", 3))));
        assertEquals(at(3), leaders.leader(SHARD));
    }

    @Test
    void theReplicasOfASilentLeaderAreAskedInTurn() {
        leaders.offer(map(1, 2, 1, 2, 3));
        Set<InetSocketAddress> asked = new LinkedHashSet<>();
        for (int i = 0; i < 3; i++) {
            InetSocketAddress leader = Objects.requireNonNull(leaders.leader(SHARD));
            asked.add(leader);
            assertTrue(leaders.failed(SHARD, leader, SILENT));
        }
        assertEquals(Set.of(at(1), at(2), at(3)), asked);
    }

    @Test
    void aGroupOfOneServerIsAskedThereAgain() {
        leaders.offer(map(1, 1));
        assertFalse(leaders.failed(SHARD, at(1), SILENT));
        assertEquals(at(1), leaders.leader(SHARD));
    }

    @Test
    void whoFailedLateDoesNotUndoWhatOthersLearned() {
        leaders.offer(map(1, 1, 1, 2, 3));
        assertTrue(leaders.failed(SHARD, at(1), refusal(new Detail.Leader("host", 3))));
        assertTrue(leaders.failed(SHARD, at(1), SILENT));
        assertEquals(at(3), leaders.leader(SHARD));
    }

    @Test
    void whatWasLearnedHoldsUntilTheMapChanges() {
        leaders.offer(map(5, 1, 1, 2, 3));
        assertTrue(leaders.failed(SHARD, at(1), refusal(new Detail.Leader("host", 3))));
        leaders.offer(map(4, 2, 1, 2, 3));
        leaders.offer(map(5, 1, 1, 2, 3));
        assertEquals(at(3), leaders.leader(SHARD));
        leaders.offer(map(6, 2, 1, 2, 3));
        assertEquals(at(2), leaders.leader(SHARD));
    }

    @Test
    void refusalsThatSayNothingOfPlacesChangeNothing() {
        leaders.offer(map(1, 1, 1, 2, 3));
        assertFalse(leaders.failed(SHARD, at(1), new TatamiException(ErrorCode.BUSY, "later")));
        assertEquals(at(1), leaders.leader(SHARD));
    }

    @Test
    void afterARefusalThatNamesNobodyTheNextReplicaIsAsked() {
        leaders.offer(map(1, 1, 1, 2));
        assertTrue(leaders.failed(SHARD, at(1), refusal(Detail.NONE)));
        assertEquals(at(2), leaders.leader(SHARD));
    }

    @Test
    void whoIsAssumedLeadsUntilAMapSaysOtherwise() {
        leaders.assume(SHARD, at(9));
        assertEquals(at(9), leaders.leader(SHARD));
        leaders.offer(map(1, 1));
        assertEquals(at(1), leaders.leader(SHARD));
    }
}
