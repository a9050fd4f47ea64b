package io.tatami.meta.op.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.wire.BlockServerRecord;
import io.tatami.meta.state.wire.NoteBlockServersRequest;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class RegisterBlockServerTest {
    private static final RequestContext CONTEXT =
            new RequestContext(new Caller("", List.of(), true), SessionId.NONE, 1);

    private final MemoryView view = new MemoryView();
    private boolean away;

    private static RegisterBlockServerRequest from(String host, int port, String... volumes) {
        return RegisterBlockServerRequest.newBuilder()
                .setHost(host)
                .setData(Endpoint.newBuilder().setHost(host).setPort(port))
                .setRack("/rack")
                .addAllVolumeId(List.of(volumes))
                .build();
    }

    private int register(RegisterBlockServerRequest request) throws TatamiException {
        Draft draft = new Draft(view);
        int id = new RegisterBlockServer(server -> away)
                .decide(new ClusterState(draft), CONTEXT, request)
                .getServerId();
        view.apply(draft);
        return id;
    }

    @Test
    void aServerThatStillHasOneOfItsVolumesKeepsItsId() throws Exception {
        int id = register(from("host", 1, "a", "b"));
        assertEquals(id, register(from("host", 1, "b", "c")));
        assertEquals(id, register(from("host", 1, "c")));
    }

    @Test
    void aServerThatMovedIsKnownAtItsNewPlace() throws Exception {
        int id = register(from("host", 1, "a"));
        assertEquals(id, register(from("other", 2, "a")));
        var record = Objects.requireNonNull(new ClusterState(new Draft(view)).server(new ServerId(id)));
        assertEquals("other", record.getDataHost());
        assertEquals(2, record.getDataPort());
    }

    @Test
    void aServerWhoseVolumesWereWipedHasANewId() throws Exception {
        int id = register(from("host", 1, "a"));
        assertNotEquals(id, register(from("host", 1, "b")));
        assertEquals(2, new ClusterState(new Draft(view)).servers().size());
    }

    @Test
    void aProcessWhoseVolumesWereAllExchangedKeepsItsIdAndItsSuccessorDoesNot() throws Exception {
        int id = register(process(10, 1));
        RegisterBlockServerRequest exchanged = process(10, 1).toBuilder()
                .setServerId(id)
                .clearVolumeId()
                .addVolumeId("b")
                .build();
        assertEquals(id, register(exchanged));
        assertEquals(List.of("b"), record(id).getVolumeIdList());
        RegisterBlockServerRequest wiped = process(20, 1, 10L).toBuilder()
                .setServerId(id)
                .clearVolumeId()
                .addVolumeId("c")
                .build();
        assertNotEquals(id, register(wiped));
    }

    @Test
    void aServerWithAVolumeThatWasAnothersStaysTheOneThatItSays() throws Exception {
        int former = register(from("host", 1, "a"));
        int id = register(from("other", 2, "b"));
        assertNotEquals(former, id);
        RegisterBlockServerRequest both =
                from("other", 2, "a", "b").toBuilder().setServerId(id).build();
        assertEquals(id, register(both));
        assertEquals(id, register(both));
    }

    @Test
    void aServerThatRegistersAgainAsItIsChangesNothing() throws Exception {
        register(from("host", 1, "a"));
        Draft draft = new Draft(view);
        var unused =
                new RegisterBlockServer(server -> away).decide(new ClusterState(draft), CONTEXT, from("host", 1, "a"));
        assertTrue(draft.isEmpty());
    }

    @Test
    void aServerWithoutVolumesIsRefused() {
        TatamiException refused = assertThrows(TatamiException.class, () -> register(from("host", 1)));
        assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    }

    private RegisterBlockServerRequest process(long incarnation, int port, Long... former) {
        return from("host", port, "a").toBuilder()
                .setIncarnation(incarnation)
                .addAllFormerIncarnation(List.of(former))
                .build();
    }

    private void assertRefused(ErrorCode code, RegisterBlockServerRequest request) {
        assertEquals(
                code,
                assertThrows(TatamiException.class, () -> register(request)).code());
    }

    @Test
    void aProcessTakesThePlaceOfTheLastOneThatItsDiskShowsWhenThatIsAway() throws Exception {
        int id = register(process(10, 1));
        assertRefused(ErrorCode.IN_USE, process(20, 2, 10L));
        away = true;
        assertEquals(id, register(process(20, 2, 10L)));
        assertEquals(id, register(process(40, 3, 10L, 20L, 30L)));
    }

    @Test
    void aDiskThatDoesNotShowTheLastProcessIsFencedForGood() throws Exception {
        register(process(10, 1));
        away = true;
        register(process(20, 2, 10L));
        assertRefused(ErrorCode.FENCED, process(10, 1));
        assertRefused(ErrorCode.FENCED, process(30, 3, 10L));
        assertRefused(ErrorCode.FENCED, process(30, 3));
    }

    @Test
    void aProcessThatRegistersAgainOrSaidThatItEndsOrListensAtTheSamePlaceNeedNotBeSilent() throws Exception {
        int id = register(process(10, 1));
        assertEquals(id, register(process(10, 1)));
        assertEquals(id, register(process(20, 1, 10L)));
        note(NoteBlockServersRequest.Item.newBuilder()
                .setServerId(id)
                .setIncarnation(20)
                .setLeft(true));
        assertEquals(id, register(process(30, 2, 10L, 20L)));
        assertRefused(ErrorCode.IN_USE, process(40, 3, 30L));
    }

    @Test
    void thatAFormerProcessEndsSaysNothingOfThePresentOne() throws Exception {
        int id = register(process(10, 1));
        register(process(20, 1, 10L));
        note(NoteBlockServersRequest.Item.newBuilder()
                .setServerId(id)
                .setIncarnation(10)
                .setLeft(true));
        assertRefused(ErrorCode.IN_USE, process(30, 2, 20L));
    }

    @Test
    void processesWithoutAnIncarnationAreTakenAsTheyCome() throws Exception {
        int id = register(from("host", 1, "a"));
        assertEquals(id, register(process(10, 1)));
        assertEquals(id, register(from("host", 2, "a")));
        assertEquals(id, register(process(20, 3)));
    }

    @Test
    void aChangeOfTheRackIsCounted() throws Exception {
        int id = register(from("host", 1, "a").toBuilder().clearRack().build());
        assertEquals("/default-rack", ServerRack.of(record(id)));
        note(NoteBlockServersRequest.Item.newBuilder().setServerId(id).setResolvedRack("/resolved"));
        note(NoteBlockServersRequest.Item.newBuilder().setServerId(id).setResolvedRack("/resolved"));
        assertEquals("/resolved", ServerRack.of(record(id)));
        assertEquals(1, record(id).getRackChanges());
        register(from("host", 1, "a"));
        assertEquals("/rack", ServerRack.of(record(id)));
        assertEquals(2, record(id).getRackChanges());
        note(NoteBlockServersRequest.Item.newBuilder().setServerId(id).setResolvedRack("/late"));
        assertEquals("/rack", ServerRack.of(record(id)));
        assertEquals(2, record(id).getRackChanges());
    }

    private BlockServerRecord record(int id) {
        return Objects.requireNonNull(new ClusterState(new Draft(view)).server(new ServerId(id)));
    }

    private void note(NoteBlockServersRequest.Item.Builder item) {
        Draft draft = new Draft(view);
        var unused = new NoteBlockServers()
                .decide(
                        new ClusterState(draft),
                        CONTEXT,
                        NoteBlockServersRequest.newBuilder().addItem(item).build());
        view.apply(draft);
    }
}
