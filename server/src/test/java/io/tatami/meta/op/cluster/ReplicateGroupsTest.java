package io.tatami.meta.op.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Empty;
import com.google.protobuf.Message;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.GroupHostRecord;
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.LivingServers;
import io.tatami.meta.state.wire.MetadataServerRecord;
import io.tatami.meta.state.wire.PlacementRecord;
import io.tatami.meta.state.wire.ReplicationProgress;
import io.tatami.meta.state.wire.ReplicationRecord;
import io.tatami.protocol.wire.ReplicateGroupsRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The records of a cluster that one server founded, on its way to three: server 0 has all groups, two others answer.
 */
final class ReplicateGroupsTest {
    private static final int SHARDS = 2;
    private static final int FOUNDED = 1;
    private static final GroupId SHARD = GroupId.ofShard(0);
    private static final Caller ROOT = new Caller("root", List.of(), true);

    private final MemoryView view = new MemoryView();

    @BeforeEach
    void found() {
        Draft draft = new Draft(view);
        ClusterState state = new ClusterState(draft);
        for (int server = 0; server < 3; server++) {
            state.addMetadataServer(
                    MetadataServerRecord.newBuilder().setServerId(id(server)).build());
        }
        for (int group = -1; group < SHARDS; group++) {
            state.putHost(
                    new GroupId(group),
                    GroupHostRecord.newBuilder()
                            .setServerId(id(0))
                            .setServes(true)
                            .build());
        }
        view.apply(draft);
    }

    private static ByteString id(int server) {
        return ByteString.copyFromUtf8("server-" + server);
    }

    private <Q extends Message, R extends Message> R decide(
            Caller who, Operation<ClusterState, Q, R> operation, Q request) throws Exception {
        Draft draft = new Draft(view);
        R reply = operation.decide(new ClusterState(draft), new RequestContext(who, SessionId.NONE, 1), request);
        view.apply(draft);
        return reply;
    }

    private static LivingServers living(int... servers) {
        LivingServers.Builder living = LivingServers.newBuilder();
        for (int server : servers) {
            living.addLiving(id(server)).addLately(id(server));
        }
        return living.build();
    }

    private ReplicationProgress replicate(Caller who, int replicas, LivingServers heard) throws Exception {
        return decide(
                who,
                new ReplicateGroups(SHARDS, FOUNDED, heard),
                ReplicateGroupsRequest.newBuilder().setReplicas(replicas).build());
    }

    private ReplicationProgress progress() throws Exception {
        return decide(ROOT, new ReadReplication(SHARDS, FOUNDED), Empty.getDefaultInstance());
    }

    private void place(GroupId group, LivingServers heard) throws Exception {
        decide(
                ROOT,
                new PlaceReplicas(FOUNDED),
                PlacementRecord.newBuilder()
                        .setGroup(group.value())
                        .setHeard(heard)
                        .build());
    }

    private GroupHostRecord host(GroupId group) {
        return Objects.requireNonNull(new ClusterState(new Draft(view)).host(group));
    }

    private List<ByteString> holders(GroupId group) {
        return host(group).getReplicaList().stream()
                .map(GroupReplicaRecord::getServerId)
                .toList();
    }

    /** As its server does when it holds the group by a replicated log. */
    private void putReplicas(GroupId group, int members, int... servers) {
        Draft draft = new Draft(view);
        GroupHostRecord.Builder record =
                host(group).toBuilder().setReplicating(false).clearReplica();
        for (int server : servers) {
            record.addReplica(GroupReplicaRecord.newBuilder()
                    .setServerId(id(server))
                    .setServes(record.getReplicaCount() < members)
                    .setMember(record.getReplicaCount() < members));
        }
        new ClusterState(draft).putHost(group, record.build());
        view.apply(draft);
    }

    @Test
    void threeReplicasAreTheGoalOnceThreeServersAnswer() throws Exception {
        ReplicationProgress begun = replicate(ROOT, 3, living(0, 1, 2));
        assertEquals(
                ReplicationRecord.newBuilder().setReplicas(3).setUnderWay(true).build(), begun.getGoal());
        assertEquals(0, begun.getGroupsDone());
        assertEquals(SHARDS + 1, begun.getGroupsTotal());
        assertEquals(begun, progress());
        assertEquals(begun, replicate(ROOT, 3, living()));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 9})
    void aNumberThatGivesNoMajorityOrIsTooLargeIsRefused(int replicas) {
        assertRefused(ErrorCode.INVALID_ARGUMENT, ROOT, replicas, living(0, 1, 2));
    }

    @Test
    void moreReplicasThanServersThatAnswerAreRefused() {
        assertRefused(ErrorCode.INVALID_ARGUMENT, ROOT, 3, living(0, 1));
    }

    @Test
    void fewerReplicasThanThereAreAreRefused() throws Exception {
        replicate(ROOT, 3, living(0, 1, 2));
        assertRefused(ErrorCode.INVALID_ARGUMENT, ROOT, 1, living(0, 1, 2));
    }

    @Test
    void anOrdinaryUserIsRefused() {
        assertRefused(ErrorCode.PERMISSION_DENIED, new Caller("anna", List.of(), false), 3, living(0, 1, 2));
    }

    private void assertRefused(ErrorCode code, Caller who, int replicas, LivingServers heard) {
        assertEquals(
                code,
                assertThrows(TatamiException.class, () -> replicate(who, replicas, heard))
                        .code());
    }

    @Test
    void shardsComeBeforeTheNamespaceGroup() throws Exception {
        replicate(ROOT, 3, living(0, 1, 2));
        List<Integer> order = new ArrayList<>();
        for (int done = 0; done <= SHARDS; done++) {
            GroupId next = new GroupId(progress().getNextGroup());
            order.add(next.value());
            putReplicas(next, 3, 0, 1, 2);
            assertEquals(done + 1, progress().getGroupsDone());
        }
        assertEquals(List.of(0, 1, -1), order);
        assertFalse(progress().hasNext());
    }

    @Test
    void aGroupsServerIsToldOnceToHoldItByAReplicatedLog() throws Exception {
        PlacementRecord shard =
                PlacementRecord.newBuilder().setGroup(SHARD.value()).build();
        decide(ROOT, new BeginReplicating(), shard);
        assertTrue(host(SHARD).getReplicating());
        putReplicas(SHARD, 1, 0);
        decide(ROOT, new BeginReplicating(), shard);
        assertFalse(host(SHARD).getReplicating());
    }

    @Test
    void aGroupIsGivenToServersThatAnswerUntilEnoughHaveIt() throws Exception {
        replicate(ROOT, 3, living(0, 1, 2));
        place(SHARD, living(0, 1, 2));
        assertEquals(List.of(), holders(SHARD), "its server has no replicated log yet");
        putReplicas(SHARD, 1, 0);
        place(SHARD, living(0, 1));
        assertEquals(List.of(id(0)), holders(SHARD), "a part of it would be no majority");
        place(SHARD, living(0, 1, 2));
        assertEquals(List.of(id(0), id(1), id(2)), holders(SHARD));
    }

    @Test
    void aServerThatFellSilentBeforeItOpenedItsReplicaGivesItsPlaceUp() throws Exception {
        Draft draft = new Draft(view);
        new ClusterState(draft)
                .addMetadataServer(
                        MetadataServerRecord.newBuilder().setServerId(id(3)).build());
        view.apply(draft);
        replicate(ROOT, 3, living(0, 1, 2));
        putReplicas(SHARD, 2, 0, 1, 2);
        place(SHARD, living(0, 1, 3));
        assertEquals(List.of(id(0), id(1), id(3)), holders(SHARD));
    }

    @Test
    void theEndOfOneGoalLeavesANewerOne() throws Exception {
        ReplicationRecord three = replicate(ROOT, 3, living(0, 1, 2)).getGoal();
        ReplicationRecord five = three.toBuilder().setReplicas(5).build();
        Draft draft = new Draft(view);
        new ClusterState(draft).setReplication(five);
        view.apply(draft);
        decide(ROOT, new EndReplicating(), three);
        assertEquals(five, progress().getGoal());
        decide(ROOT, new EndReplicating(), five);
        assertEquals(five.toBuilder().setUnderWay(false).build(), progress().getGoal());
    }
}
