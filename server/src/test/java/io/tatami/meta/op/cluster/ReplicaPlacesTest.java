package io.tatami.meta.op.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
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
import io.tatami.meta.state.wire.MembersRecord;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import io.tatami.protocol.wire.ReportMetadataServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who is given the groups of a cluster with two shards, each held by three servers. */
final class ReplicaPlacesTest {
    private static final List<Integer> ALL = List.of(-1, 0, 1);
    private static final RegisterMetadataServer REGISTER =
            new RegisterMetadataServer(2, ByteString.copyFromUtf8("key"), "root", 3);

    private final MemoryView view = new MemoryView();

    private <Q extends Message, R extends Message> R decide(Operation<ClusterState, Q, R> operation, Q request)
            throws Exception {
        Draft draft = new Draft(view);
        RequestContext context = new RequestContext(
                new Caller("root", List.of(), true), SessionId.NONE, 1, Set.of(), ClusterMap.getDefaultInstance());
        R reply = operation.decide(new ClusterState(draft), context, request);
        view.apply(draft);
        return reply;
    }

    private static ByteString id(int server) {
        return ByteString.copyFromUtf8("server-" + server);
    }

    private static Endpoint endpoint(int port) {
        return Endpoint.newBuilder().setHost("host").setPort(port).build();
    }

    private List<Integer> asks(int server) throws Exception {
        return decide(
                        REGISTER,
                        RegisterMetadataServerRequest.newBuilder()
                                .setServerId(id(server))
                                .setTakeUnassigned(true)
                                .build())
                .getAssignedGroupList();
    }

    private void serves(int server) throws Exception {
        servesAt(server, server);
    }

    private void servesAt(int server, int port) throws Exception {
        RegisterMetadataServerRequest request = RegisterMetadataServerRequest.newBuilder()
                .setServerId(id(server))
                .setEndpoint(endpoint(port))
                .setRaft(endpoint(100 + server))
                .addAllHostedGroup(ALL)
                .build();
        assertEquals(List.of(), decide(REGISTER, request).getAssignedGroupList());
    }

    private GroupHostRecord host(int group) {
        return Objects.requireNonNull(new ClusterState(new Draft(view)).host(new GroupId(group)));
    }

    private MembersRecord members() throws Exception {
        return decide(new ReadMembers(3), Empty.getDefaultInstance());
    }

    @Test
    void eachServerThatJoinsGetsEveryGroupUntilThreeHaveIt() throws Exception {
        serves(1);
        assertEquals(ALL, asks(2));
        assertEquals(ALL, asks(3));
        assertEquals(List.of(), asks(4));
    }

    @Test
    void aReplicaCountsOnlyOnceTheOthersCanReachIt() throws Exception {
        serves(1);
        assertEquals(ALL, asks(2));
        RegisterMetadataServerRequest early = RegisterMetadataServerRequest.newBuilder()
                .setServerId(id(2))
                .setEndpoint(endpoint(2))
                .addAllHostedGroup(ALL)
                .build();
        decide(REGISTER, early);
        assertFalse(host(0).getReplica(1).getServes());
        serves(2);
        assertTrue(host(0).getReplica(1).getServes());
    }

    @Test
    void aServerThatAsksAgainGetsTheSameAndNoMore() throws Exception {
        serves(1);
        assertEquals(ALL, asks(2));
        long epoch = new ClusterState(new Draft(view)).epoch();
        assertEquals(ALL, asks(2));
        assertEquals(epoch, new ClusterState(new Draft(view)).epoch());
        serves(2);
        assertEquals(List.of(), asks(2));
    }

    @Test
    void whoWasNotGivenAGroupCannotClaimIt() throws Exception {
        serves(1);
        assertEquals(
                ErrorCode.IN_USE,
                assertThrows(TatamiException.class, () -> serves(2)).code());
    }

    @Test
    void membersAreNamedOnceAllServeAndPreferredLeadersGoRound() throws Exception {
        serves(1);
        for (int server : List.of(2, 3)) {
            assertEquals(0, members().getGroupCount());
            asks(server);
            assertEquals(0, members().getGroupCount());
            serves(server);
        }
        List<ByteString> first = new ArrayList<>();
        for (MembersRecord.OfGroup group : members().getGroupList()) {
            assertEquals(3, group.getMemberCount());
            first.add(group.getMember(0).getServerId());
        }
        assertEquals(List.of(id(1), id(2), id(3)), first);
    }

    @Test
    void membersThatWereNotedAreSetNoMoreUntilOneMovesItsRaftPort() throws Exception {
        membersWereSet();
        assertEquals(0, members().getGroupCount());
        servesAt(2, 22);
        assertEquals(0, members().getGroupCount(), "only where clients reach it has changed");
        decide(
                REGISTER,
                RegisterMetadataServerRequest.newBuilder()
                        .setServerId(id(2))
                        .setEndpoint(endpoint(2))
                        .setRaft(endpoint(7))
                        .addHostedGroup(0)
                        .build());
        assertEquals(
                List.of(0),
                members().getGroupList().stream()
                        .map(MembersRecord.OfGroup::getGroup)
                        .toList());
    }

    @Test
    void theLeaderIsWhoeverOfTheReplicasSaysSo() throws Exception {
        membersWereSet();
        assertEquals(1, host(0).getPort());
        leads(3, 0);
        assertEquals(3, host(0).getPort());
        assertEquals(1, host(1).getPort());
        leads(9, 0);
        assertEquals(3, host(0).getPort(), "a server that does not hold the group cannot lead it");
        servesAt(3, 33);
        assertEquals(33, host(0).getPort(), "the leader came back elsewhere");
    }

    private void membersWereSet() throws Exception {
        serves(1);
        for (int server : List.of(2, 3)) {
            asks(server);
            serves(server);
        }
        for (MembersRecord.OfGroup group : members().getGroupList()) {
            decide(new NoteMembers(), group);
        }
        for (int group : ALL) {
            assertEquals(
                    3,
                    host(group).getReplicaList().stream()
                            .filter(GroupReplicaRecord::getMember)
                            .count());
        }
    }

    private void leads(int server, int group) throws Exception {
        decide(
                new NoteReport(),
                ReportMetadataServerRequest.newBuilder()
                        .setServerId(id(server))
                        .addLedGroup(group)
                        .build());
    }
}
