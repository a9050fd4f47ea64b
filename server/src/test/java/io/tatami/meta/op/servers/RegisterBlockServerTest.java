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
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class RegisterBlockServerTest {
    private static final RequestContext CONTEXT =
            new RequestContext(new Caller("", List.of(), true), SessionId.NONE, 1);

    private final MemoryView view = new MemoryView();

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
        int id = new RegisterBlockServer()
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
    void aServerThatRegistersAgainAsItIsChangesNothing() throws Exception {
        register(from("host", 1, "a"));
        Draft draft = new Draft(view);
        var unused = new RegisterBlockServer().decide(new ClusterState(draft), CONTEXT, from("host", 1, "a"));
        assertTrue(draft.isEmpty());
    }

    @Test
    void aServerWithoutVolumesIsRefused() {
        TatamiException refused = assertThrows(TatamiException.class, () -> register(from("host", 1)));
        assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    }
}
