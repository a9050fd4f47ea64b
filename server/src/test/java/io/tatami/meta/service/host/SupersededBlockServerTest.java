package io.tatami.meta.service.host;

import static io.tatami.meta.service.host.MetadataServerTest.call;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.HeartbeatReply;
import io.tatami.protocol.wire.HeartbeatRequest;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a process takes the place of the one that was the block server before it. */
final class SupersededBlockServerTest {
    private static final String SUPERUSER = System.getProperty("user.name");

    @TempDir
    private Path directory;

    private final ManualClock clock = new ManualClock();

    private MetadataServer open() throws TatamiException {
        return MetadataServer.open(
                new ServerLocation(directory, "127.0.0.1", 0),
                new NewCluster(1, List.of(GroupId.NAMESPACE, GroupId.ofShard(0))),
                Settings.defaults(),
                user -> List.of(),
                clock);
    }

    @Test
    void aProcessThatListensIsSupersededOnlyWhenItWasSilentForTenSeconds() throws Exception {
        try (ServerSocket first = listening();
                ServerSocket second = listening();
                MetadataServer server = open()) {
            int id = register(server, 0, first.getLocalPort(), 10);
            TatamiException refused =
                    assertThrows(TatamiException.class, () -> register(server, id, second.getLocalPort(), 20, 10L));
            assertEquals(ErrorCode.IN_USE, refused.code());
            clock.advance(Duration.ofNanos(9_999_999_999L));
            assertFalse(heartbeat(server, id, 10).getRegisterAgain());
            clock.advance(Duration.ofNanos(9_999_999_999L));
            assertThrows(TatamiException.class, () -> register(server, id, second.getLocalPort(), 20, 10L));
            clock.advance(Duration.ofNanos(1));
            assertEquals(id, register(server, id, second.getLocalPort(), 20, 10L));
            assertTrue(heartbeat(server, id, 10).getRegisterAgain(), "the first process is not the server any more");
            TatamiException fenced =
                    assertThrows(TatamiException.class, () -> register(server, id, first.getLocalPort(), 10));
            assertEquals(ErrorCode.FENCED, fenced.code());
            assertFalse(heartbeat(server, id, 20).getRegisterAgain());
        }
    }

    @Test
    void aProcessAtWhosePlaceNobodyListensIsSupersededAtOnce() throws Exception {
        int closed;
        try (ServerSocket first = listening()) {
            closed = first.getLocalPort();
        }
        try (ServerSocket second = listening();
                MetadataServer server = open()) {
            int id = register(server, 0, closed, 10);
            assertEquals(id, register(server, id, second.getLocalPort(), 20, 10L));
        }
    }

    @Test
    void aProcessThatSaidThatItEndsIsSupersededAtOnceAlsoByTheNextLeader() throws Exception {
        try (ServerSocket first = listening();
                ServerSocket second = listening()) {
            int id;
            try (MetadataServer server = open()) {
                id = register(server, 0, first.getLocalPort(), 10);
                heartbeat(server, id, 10);
                var unused = call(
                        server,
                        SUPERUSER,
                        GroupId.NAMESPACE,
                        MetaMethods.HEARTBEAT,
                        beat(id, 10).setLeaving(true).build());
            }
            try (MetadataServer server = open()) {
                assertEquals(id, register(server, id, second.getLocalPort(), 20, 10L));
            }
        }
    }

    private static ServerSocket listening() throws IOException {
        return new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    }

    private static HeartbeatRequest.Builder beat(int id, long incarnation) {
        return HeartbeatRequest.newBuilder()
                .setServerId(id)
                .setIncarnation(incarnation)
                .setCapacityBytes(1 << 30);
    }

    private static HeartbeatReply heartbeat(MetadataServer server, int id, long incarnation) throws TatamiException {
        return call(
                server,
                SUPERUSER,
                GroupId.NAMESPACE,
                MetaMethods.HEARTBEAT,
                beat(id, incarnation).build());
    }

    private static int register(MetadataServer server, int id, int port, long incarnation, Long... former)
            throws TatamiException {
        return call(
                        server,
                        SUPERUSER,
                        GroupId.NAMESPACE,
                        MetaMethods.REGISTER_BLOCK_SERVER,
                        RegisterBlockServerRequest.newBuilder()
                                .setServerId(id)
                                .setHost("127.0.0.1")
                                .addVolumeId("00000000-0000-0000-0000-000000000001")
                                .setData(Endpoint.newBuilder()
                                        .setHost("127.0.0.1")
                                        .setPort(port))
                                .setIncarnation(incarnation)
                                .addAllFormerIncarnation(List.of(former))
                                .build())
                .getServerId();
    }
}
