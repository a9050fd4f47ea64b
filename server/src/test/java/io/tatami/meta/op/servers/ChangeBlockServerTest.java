package io.tatami.meta.op.servers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
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
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.ChangeBlockServerRequest;
import io.tatami.protocol.wire.ChangeBlockServerRequest.Action;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class ChangeBlockServerTest {
    private static final RequestContext SUPERUSER =
            new RequestContext(new Caller("", List.of(), true), SessionId.NONE, 1_000);
    private static final RequestContext USER =
            new RequestContext(new Caller("user", List.of(), false), SessionId.NONE, 1_000);

    private final MemoryView view = new MemoryView();
    private boolean away;
    private boolean dead;

    private ServerId register(String volume) throws TatamiException {
        Draft draft = new Draft(view);
        int id = new RegisterBlockServer(server -> away)
                .decide(
                        new ClusterState(draft),
                        SUPERUSER,
                        RegisterBlockServerRequest.newBuilder()
                                .addVolumeId(volume)
                                .setIncarnation(7)
                                .setRack("/own")
                                .build())
                .getServerId();
        view.apply(draft);
        return new ServerId(id);
    }

    private void change(RequestContext context, ChangeBlockServerRequest.Builder request) throws TatamiException {
        Draft draft = new Draft(view);
        var unused = new ChangeBlockServer(server -> dead, server -> away)
                .decide(new ClusterState(draft), context, request.build());
        view.apply(draft);
    }

    private static ChangeBlockServerRequest.Builder of(ServerId server, Action action) {
        return ChangeBlockServerRequest.newBuilder().setServerId(server.value()).setAction(action);
    }

    private BlockServerRecord record(ServerId server) {
        return Objects.requireNonNull(new ClusterState(new Draft(view)).server(server));
    }

    private void assertRefused(ErrorCode code, ChangeBlockServerRequest.Builder request) {
        assertEquals(
                code,
                assertThrows(TatamiException.class, () -> change(SUPERUSER, request))
                        .code());
    }

    @Test
    void aDrainSurvivesARestartOfTheServerAndEndsByServe() throws Exception {
        ServerId server = register("a");
        change(SUPERUSER, of(server, Action.DRAIN));
        assertEquals(server, register("a"));
        assertEquals(State.DRAINING_VALUE, record(server).getState());
        change(SUPERUSER, of(server, Action.SERVE));
        assertEquals(State.JOINING_VALUE, record(server).getState());
    }

    @Test
    void aMaintenanceEndsAtALogTime() throws Exception {
        ServerId server = register("a");
        change(SUPERUSER, of(server, Action.MAINTENANCE).setMaintenanceMillis(500));
        assertEquals(State.MAINTENANCE_VALUE, record(server).getState());
        assertEquals(1_500, record(server).getMaintenanceUntilMillis());
        assertRefused(ErrorCode.INVALID_ARGUMENT, of(server, Action.MAINTENANCE));
    }

    @Test
    void onlyADeadServerIsGivenUpAndItDoesNotComeBack() throws Exception {
        ServerId server = register("a");
        assertRefused(ErrorCode.IN_USE, of(server, Action.GIVE_UP));
        dead = true;
        change(SUPERUSER, of(server, Action.GIVE_UP));
        TatamiException refused = assertThrows(TatamiException.class, () -> register("a"));
        assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
        assertRefused(ErrorCode.INVALID_ARGUMENT, of(server, Action.SERVE));
    }

    @Test
    void aServerIsForgottenOnceItIsAwayAndNoShardHasABlockThere() throws Exception {
        ServerId server = register("a");
        change(SUPERUSER, of(server, Action.DRAIN));
        assertRefused(ErrorCode.IN_USE, of(server, Action.FORGET));
        away = true;
        assertRefused(ErrorCode.IN_USE, of(server, Action.FORGET));
        noteDrained(server);
        change(SUPERUSER, of(server, Action.FORGET));
        assertNull(new ClusterState(new Draft(view)).server(server));
        assertNotEquals(server, register("a"));
    }

    @Test
    void aServerThatWasGivenUpIsForgottenOnceItsBlocksAreQueued() throws Exception {
        ServerId server = register("a");
        dead = true;
        away = true;
        change(SUPERUSER, of(server, Action.GIVE_UP));
        assertRefused(ErrorCode.IN_USE, of(server, Action.FORGET));
        noteDrained(server);
        change(SUPERUSER, of(server, Action.FORGET));
        assertNull(new ClusterState(new Draft(view)).server(server));
    }

    @Test
    void aServerThatServesAgainIsNotDrained() throws Exception {
        ServerId server = register("a");
        noteDrained(server);
        assertFalse(record(server).getDrained());
        change(SUPERUSER, of(server, Action.DRAIN));
        noteDrained(server);
        change(SUPERUSER, of(server, Action.SERVE));
        assertFalse(record(server).getDrained());
    }

    private void noteDrained(ServerId server) {
        Draft draft = new Draft(view);
        var unused = new NoteBlockServers()
                .decide(
                        new ClusterState(draft),
                        SUPERUSER,
                        NoteBlockServersRequest.newBuilder()
                                .addItem(NoteBlockServersRequest.Item.newBuilder()
                                        .setServerId(server.value())
                                        .setDrained(true))
                                .build());
        view.apply(draft);
    }

    @Test
    void theBrakeIsReleasedForServersThatAreAwayUntilTheyRegister() throws Exception {
        ServerId server = register("a");
        change(SUPERUSER, of(ServerId.NONE, Action.RELEASE_BRAKE));
        assertFalse(record(server).getBrakeReleased());
        away = true;
        change(SUPERUSER, of(ServerId.NONE, Action.RELEASE_BRAKE));
        assertTrue(record(server).getBrakeReleased());
        assertEquals(server, register("a"));
        assertFalse(record(server).getBrakeReleased());
    }

    @Test
    void aDeadServerIsAdmittedFromADiskThatDoesNotShowItsLastStart() throws Exception {
        ServerId server = register("a");
        assertRefused(ErrorCode.IN_USE, of(server, Action.ADMIT));
        dead = true;
        change(SUPERUSER, of(server, Action.ADMIT));
        assertEquals(0, record(server).getIncarnation());
    }

    @Test
    void aRackThatIsGivenStaysBesideTheServersOwn() throws Exception {
        ServerId server = register("a");
        change(SUPERUSER, of(server, Action.SET_RACK).setRack("/given"));
        assertEquals(server, register("a"));
        assertEquals("/given", record(server).getGivenRack());
        assertEquals("/own", record(server).getRack());
        assertRefused(ErrorCode.INVALID_ARGUMENT, of(server, Action.SET_RACK).setRack("no-path"));
    }

    @Test
    void theDifferenceThatIsLeftAloneIsSetForTheWholeCluster() throws Exception {
        change(SUPERUSER, of(ServerId.NONE, Action.SET_BALANCE).setBalancePercent(-1));
        change(SUPERUSER, of(ServerId.NONE, Action.SET_BALANCE).setBalancePercent(90));
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                of(ServerId.NONE, Action.SET_BALANCE).setBalancePercent(91));
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                of(ServerId.NONE, Action.SET_BALANCE).setBalancePercent(-2));
    }

    @Test
    void theRateOfCopiesIsSetForOneServerOrForAll() throws Exception {
        ServerId first = register("a");
        ServerId second = register("b");
        change(SUPERUSER, of(ServerId.NONE, Action.SET_COPY_RATE).setCopyBytesPerSecond(9));
        change(SUPERUSER, of(second, Action.SET_COPY_RATE).setCopyBytesPerSecond(-1));
        assertEquals(9, record(first).getCopyBytesPerSecond());
        assertEquals(-1, record(second).getCopyBytesPerSecond());
        assertRefused(
                ErrorCode.INVALID_ARGUMENT, of(first, Action.SET_COPY_RATE).setCopyBytesPerSecond(-2));
    }

    @Test
    void aChangeRaisesTheEpochOnce() throws Exception {
        ServerId server = register("a");
        long before = new ClusterState(new Draft(view)).epoch();
        change(SUPERUSER, of(server, Action.DRAIN));
        change(SUPERUSER, of(server, Action.DRAIN));
        assertEquals(before + 1, new ClusterState(new Draft(view)).epoch());
    }

    @Test
    void unknownServersAndOtherUsersAreRefused() throws Exception {
        ServerId server = register("a");
        assertRefused(ErrorCode.NOT_FOUND, of(new ServerId(99), Action.DRAIN));
        TatamiException refused = assertThrows(TatamiException.class, () -> change(USER, of(server, Action.DRAIN)));
        assertEquals(ErrorCode.PERMISSION_DENIED, refused.code());
        assertTrue(record(server).getState() == 0);
    }
}
