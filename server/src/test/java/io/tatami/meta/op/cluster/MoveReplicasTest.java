package io.tatami.meta.op.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
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
import io.tatami.meta.state.wire.GroupReplicaRecord;
import io.tatami.meta.state.wire.LivingServers;
import io.tatami.meta.state.wire.MembersRecord;
import io.tatami.protocol.wire.ChangeMetadataServerRequest;
import io.tatami.protocol.wire.ChangeMetadataServerRequest.Action;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.HandOver;
import io.tatami.protocol.wire.HeldReplica;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.ListMetadataServersRequest;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import io.tatami.protocol.wire.ReportMetadataServerRequest;
import io.tatami.seed.TestSeed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Which replica goes where, step by step, with servers and groups' leaders that do as they are told. */
final class MoveReplicasTest {
    private static final int SHARDS = 8;
    private static final int REPLICAS = 3;
    private static final int STEPS_MAX = 1_000;

    private final MemoryView view = new MemoryView();
    private final RegisterMetadataServer register =
            new RegisterMetadataServer(SHARDS, ByteString.copyFromUtf8("key"), "root", REPLICAS);

    /** What each server has on its disk. */
    private final Map<Integer, Set<Integer>> disks = new HashMap<>();

    /** The members by each group's Raft log. */
    private final Map<Integer, Set<ByteString>> members = new HashMap<>();

    private final Set<Integer> living = new TreeSet<>();

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
        return ByteString.copyFromUtf8(String.format("server-%09d", server));
    }

    private void join(int server) throws Exception {
        RegisterMetadataServerRequest asking = RegisterMetadataServerRequest.newBuilder()
                .setServerId(id(server))
                .setTakeUnassigned(server > 0)
                .build();
        Set<Integer> given = new TreeSet<>(decide(register, asking).getAssignedGroupList());
        for (int group = -1; server == 0 && group < SHARDS; group++) {
            given.add(group);
            members.put(group, Set.of(id(server)));
        }
        disks.put(server, given);
        living.add(server);
        decide(
                register,
                asking.toBuilder()
                        .setTakeUnassigned(false)
                        .setEndpoint(Endpoint.newBuilder().setHost("host").setPort(1_000 + server))
                        .setRaft(Endpoint.newBuilder().setHost("host").setPort(2_000 + server))
                        .addAllHostedGroup(given)
                        .build());
    }

    private void form(int servers) throws Exception {
        for (int server = 0; server < servers; server++) {
            join(server);
        }
        settle();
        for (int server = REPLICAS; server < servers; server++) {
            change(server, Action.ADD);
        }
    }

    private MetadataServerInfo change(int server, Action action) throws Exception {
        ChangeMetadataServerRequest request = ChangeMetadataServerRequest.newBuilder()
                .setServerId(id(server))
                .setAction(action)
                .build();
        return decide(new ChangeMetadataServer(REPLICAS), request).getServer();
    }

    private LivingServers heard() {
        List<ByteString> ids = living.stream().map(MoveReplicasTest::id).toList();
        return LivingServers.newBuilder().addAllLiving(ids).addAllLately(ids).build();
    }

    private ListMetadataServersReply list() throws Exception {
        return decide(new ListMetadataServers(REPLICAS, heard()), ListMetadataServersRequest.getDefaultInstance());
    }

    /** A report of a server, and what follows from it at once. */
    private void report(int server) throws Exception {
        ReportMetadataServerRequest.Builder report =
                ReportMetadataServerRequest.newBuilder().setServerId(id(server));
        Set<Integer> disk = disks.getOrDefault(server, new HashSet<>());
        disk.forEach(group -> report.addHeld(HeldReplica.newBuilder().setGroup(group)));
        var orders = decide(new ReadOrders(), report.build());
        decide(new NoteReport(), report.build());
        for (int group : orders.getDropGroupList()) {
            assertFalse(
                    members.getOrDefault(group, Set.of()).contains(id(server)),
                    () -> "server " + server + " is a member of group " + group + ", and is told to drop it");
            disk.remove(group);
        }
        disk.addAll(orders.getOpenGroupList());
        assertEquals(
                orders.getRemoved(),
                list().getServerList().stream()
                        .noneMatch(info -> info.getServerId().equals(id(server))));
    }

    /** The groups' leaders change their members; what is noted of it may be lost. */
    private void setMembers(boolean isNoted) throws Exception {
        MembersRecord wanted = decide(new ReadMembers(REPLICAS), Empty.getDefaultInstance());
        for (MembersRecord.OfGroup group : wanted.getGroupList()) {
            Set<ByteString> now = new HashSet<>();
            for (GroupReplicaRecord member : group.getMemberList()) {
                now.add(member.getServerId());
                int number =
                        Integer.parseInt(member.getServerId().toStringUtf8().substring("server-".length()));
                assertTrue(
                        disks.getOrDefault(number, Set.of()).contains(group.getGroup()), () -> "not open: " + member);
            }
            members.put(group.getGroup(), now);
            if (isNoted) {
                decide(new NoteMembers(), group);
            }
        }
    }

    private void round(boolean isNoted) throws Exception {
        decide(new MoveReplicas(), heard());
        assertTrue(list().getMoveCount() <= 1 || isForming(), () -> "more than one group moves at once");
        for (int server : living) {
            report(server);
        }
        setMembers(isNoted);
    }

    private boolean isForming() {
        return members.values().stream().anyMatch(all -> all.size() < REPLICAS);
    }

    private void settle() throws Exception {
        for (int step = 0; step < STEPS_MAX; step++) {
            round(true);
            if (list().getSettled()) {
                checkPlaces();
                return;
            }
        }
        throw new AssertionError("never settled: " + list());
    }

    private void checkPlaces() throws Exception {
        for (int server : living) {
            report(server);
        }
        for (ClusterState.Host host : new ClusterState(new Draft(view)).hosts()) {
            ReplicaSet replicas = ReplicaSet.of(host);
            assertEquals(REPLICAS, replicas.all().size());
            Set<ByteString> holders = new HashSet<>();
            replicas.all().forEach(replica -> holders.add(replica.getServerId()));
            assertEquals(holders, members.get(host.group().value()));
        }
        List<Integer> shares = new ArrayList<>();
        for (MetadataServerInfo info : list().getServerList()) {
            if (info.getState() == MetadataServerInfo.State.IN_SERVICE) {
                shares.add(info.getHeldGroupCount());
            }
        }
        int least = shares.stream().min(Integer::compare).orElse(0);
        assertTrue(shares.stream().allMatch(share -> share - least <= 1), shares::toString);
    }

    @Test
    void aServerWithoutGroupsIsSpareUntilItIsAddedAndThenGetsItsShare() throws Exception {
        form(3);
        join(3);
        settle();
        assertEquals(Set.of(), disks.get(3));
        change(3, Action.ADD);
        settle();
        assertEquals(6, list().getServer(3).getHeldGroupCount());
    }

    @Test
    void whoIsPreferredAsLeaderStaysSpread() throws Exception {
        form(5);
        settle();
        Map<ByteString, Integer> leaders = new HashMap<>();
        for (ClusterState.Host host : new ClusterState(new Draft(view)).hosts()) {
            @Nullable ByteString leader = ReplicaSet.of(host).preferredLeader();
            leaders.merge(assertNotNullAndGet(leader), 1, Integer::sum);
        }
        assertEquals(5, leaders.size(), leaders::toString);
        assertTrue(leaders.values().stream().allMatch(count -> count <= 3), leaders::toString);
    }

    private static ByteString assertNotNullAndGet(@Nullable ByteString leader) {
        assertNotNull(leader);
        return leader;
    }

    @Test
    void aServerThatLeavesIsEmptiedAndThenNoMemberForEver() throws Exception {
        form(4);
        settle();
        change(1, Action.REMOVE);
        settle();
        assertEquals(Set.of(), disks.get(1));
        assertEquals(3, list().getServerCount());
        TatamiException refused = assertThrows(TatamiException.class, () -> join(1));
        assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
        assertEquals(
                ErrorCode.NOT_FOUND,
                assertThrows(TatamiException.class, () -> change(1, Action.ADD)).code());
    }

    @Test
    void aDeadServerCanLeaveAndIsNotWaitedFor() throws Exception {
        form(4);
        settle();
        living.remove(2);
        change(2, Action.REMOVE);
        settle();
        assertEquals(3, list().getServerCount());
    }

    @Test
    void nobodyMayLeaveWhereTooFewWouldRemain() throws Exception {
        form(3);
        join(3);
        TatamiException refused = assertThrows(TatamiException.class, () -> change(0, Action.REMOVE));
        assertTrue(refused.toString().contains("each group has 3 replicas"), refused::toString);
        change(3, Action.REMOVE);
        settle();
        assertEquals(3, list().getServerCount(), "a spare one may");
    }

    @Test
    void aMoveToAServerThatDiesIsTurnedRoundAndAnotherTakesTheReplica() throws Exception {
        form(5);
        settle();
        change(0, Action.REMOVE);
        decide(new MoveReplicas(), heard());
        ByteString target = list().getMove(0).getToServerId();
        int dead = Integer.parseInt(target.toStringUtf8().substring("server-".length()));
        // It was made a member, and nobody has noted it.
        report(dead);
        report(dead);
        setMembers(false);
        living.remove(dead);
        for (int step = 0; step < STEPS_MAX && list().getServerCount() > 4; step++) {
            round(true);
        }
        assertEquals(4, list().getServerCount());
        assertTrue(list().getServerList().stream()
                .anyMatch(info -> info.getServerId().equals(target)));
    }

    @Test
    void aReplicaThatAServerServedAndHasLostIsNotOrderedAnew() throws Exception {
        form(3);
        disks.put(1, new TreeSet<>());
        report(1);
        assertEquals(Set.of(), disks.get(1));
    }

    /** As while it is being opened or deleted, or where that has failed. */
    @Test
    void aReplicaThatIsClosedIsDroppedOrOpenedAndDoesNotCount() throws Exception {
        form(4);
        decide(new MoveReplicas(), heard());
        for (int group = GroupId.NAMESPACE.value(); group < SHARDS; group++) {
            ReportMetadataServerRequest report = ReportMetadataServerRequest.newBuilder()
                    .setServerId(id(3))
                    .addHeld(HeldReplica.newBuilder().setGroup(group).setClosed(true))
                    .build();
            var orders = decide(new ReadOrders(), report);
            decide(new NoteReport(), report);
            boolean isGiven = replicas(group).isOn(id(3));
            assertEquals(isGiven, orders.getOpenGroupList().contains(group));
            assertEquals(!isGiven, orders.getDropGroupList().contains(group));
            assertTrue(replicas(group).all().stream()
                    .noneMatch(replica -> replica.getServerId().equals(id(3)) && replica.getServes()));
        }
        assertEquals(1, list().getMoveCount());
    }

    @Test
    void whoLeadsInThePlaceOfThePreferredServerIsToldSoUnlessReplicasMove() throws Exception {
        form(3);
        settle();
        for (int group = GroupId.NAMESPACE.value(); group < SHARDS; group++) {
            for (int server = 0; server < 3; server++) {
                ReportMetadataServerRequest report = ReportMetadataServerRequest.newBuilder()
                        .setServerId(id(server))
                        .addLedGroup(group)
                        .build();
                ByteString preferred = replicas(group).preferredLeader();
                assertEquals(
                        id(server).equals(preferred)
                                ? List.of()
                                : List.of(HandOver.newBuilder()
                                        .setGroup(group)
                                        .setServerId(preferred)
                                        .build()),
                        decide(new ReadOrders(), report).getPreferredList());
            }
        }
        join(3);
        change(3, Action.ADD);
        decide(new MoveReplicas(), heard());
        for (int group = GroupId.NAMESPACE.value(); group < SHARDS; group++) {
            ReportMetadataServerRequest report = ReportMetadataServerRequest.newBuilder()
                    .setServerId(id(3))
                    .addLedGroup(group)
                    .build();
            assertEquals(
                    replicas(group).coming() == null,
                    decide(new ReadOrders(), report).getPreferredCount() == 1);
        }
    }

    @Test
    void whatIsNotedTooLateChangesNothing() throws Exception {
        form(4);
        settle();
        change(0, Action.REMOVE);
        decide(new MoveReplicas(), heard());
        for (int server : living) {
            report(server);
            report(server);
        }
        MembersRecord.OfGroup late =
                decide(new ReadMembers(REPLICAS), Empty.getDefaultInstance()).getGroup(0);
        change(0, Action.CANCEL);
        ReplicaSet before = replicas(late.getGroup());
        decide(new NoteMembers(), late);
        assertEquals(before, replicas(late.getGroup()));
        settle();
    }

    @Test
    void anOlderCopyOfADirectoryAndASecondOneAreRefused() throws Exception {
        form(3);
        RegisterMetadataServerRequest start = RegisterMetadataServerRequest.newBuilder()
                .setServerId(id(1))
                .setMarks(7)
                .setRun(70)
                .build();
        decide(register, start);
        decide(register, start);
        for (RegisterMetadataServerRequest copy : List.of(
                start.toBuilder().setMarks(6).build(),
                start.toBuilder().setRun(71).build())) {
            TatamiException refused = assertThrows(TatamiException.class, () -> decide(register, copy));
            assertEquals(ErrorCode.CORRUPT, refused.code());
            assertTrue(refused.toString().contains("is an outdated or a second copy"), refused::toString);
        }
        ReportMetadataServerRequest report = ReportMetadataServerRequest.newBuilder()
                .setServerId(id(1))
                .setMarks(8)
                .setRun(70)
                .build();
        assertTrue(decide(new ReadOrders(), report).getIsNews());
        decide(new NoteReport(), report);
        assertFalse(decide(new ReadOrders(), report).getIsNews());
        ReportMetadataServerRequest second = report.toBuilder().setRun(71).build();
        assertTrue(decide(new ReadOrders(), second).getSuperseded());
        decide(register, start.toBuilder().setMarks(9).setRun(71).build());
        assertTrue(decide(new ReadOrders(), report).getSuperseded());
    }

    private ReplicaSet replicas(int group) {
        return new ClusterState(new Draft(view))
                .hosts().stream()
                        .filter(host -> host.group().equals(new GroupId(group)))
                        .map(ReplicaSet::of)
                        .findFirst()
                        .orElseThrow();
    }

    /**
     * Servers come, go, die and stay after all; no member is ever told to drop what it has, and in the end shares are
     * equal.
     */
    @Test
    void anyCourseEndsInOrder() throws Exception {
        Random random = TestSeed.random();
        form(4);
        int next = 4;
        for (int step = 0; step < 400; step++) {
            switch (random.nextInt(8)) {
                case 0 -> {
                    if (living.size() < 8) {
                        join(next);
                        change(next++, Action.ADD);
                    }
                }
                case 1 -> attempt(random.nextInt(next), Action.REMOVE);
                case 2 -> attempt(random.nextInt(next), Action.CANCEL);
                case 3 -> {
                    if (living.size() > 5) {
                        living.remove(random.nextInt(next));
                    }
                }
                default -> round(random.nextBoolean());
            }
        }
        for (MetadataServerInfo info : list().getServerList()) {
            int server = Integer.parseInt(info.getServerId().toStringUtf8().substring("server-".length()));
            living.add(server);
            attempt(server, Action.CANCEL);
        }
        settle();
    }

    private void attempt(int server, Action action) throws Exception {
        try {
            MetadataServerInfo unused = change(server, action);
        } catch (TatamiException e) {
            assertTrue(Set.of(ErrorCode.NOT_FOUND, ErrorCode.INVALID_ARGUMENT).contains(e.code()), e::toString);
        }
    }
}
