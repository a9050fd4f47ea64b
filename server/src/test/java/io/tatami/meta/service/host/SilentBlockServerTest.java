package io.tatami.meta.service.host;

import static io.tatami.meta.service.host.MetadataServerTest.call;
import static io.tatami.meta.service.host.MetadataServerTest.register;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.GroupId;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.BlockServerInfo.State;
import io.tatami.protocol.wire.HeartbeatRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the map says of a block server that sends no heartbeats, by the leader's clock. */
final class SilentBlockServerTest {
    private static final String SUPERUSER = System.getProperty("user.name");

    @TempDir
    private Path directory = Path.of("");

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
    void behindARestartOfTheMetadataAServerIsStaleUntilItWasSilentForAMinute() throws Exception {
        int silent;
        try (MetadataServer server = open()) {
            silent = register(server, 1).getServerId();
        }
        try (MetadataServer server = open()) {
            assertEquals(State.STALE, stateAfter(Duration.ofSeconds(59), server, silent, 2));
            assertEquals(State.DEAD, stateAfter(Duration.ofSeconds(2), server, silent, 3));
        }
    }

    @Test
    void aSilentServerIsStaleAfterTenSecondsAndDeadAfterAMinute() throws Exception {
        try (MetadataServer server = open()) {
            int silent = register(server, 1).getServerId();
            assertEquals(State.ACTIVE, stateAfter(Duration.ofNanos(9_999_999_999L), server, silent, 2));
            assertEquals(State.STALE, stateAfter(Duration.ofNanos(1), server, silent, 3));
            assertEquals(State.STALE, stateAfter(Duration.ofNanos(49_999_999_999L), server, silent, 4));
            assertEquals(State.DEAD, stateAfter(Duration.ofNanos(1), server, silent, 5));
            call(
                    server,
                    SUPERUSER,
                    GroupId.NAMESPACE,
                    MetaMethods.HEARTBEAT,
                    HeartbeatRequest.newBuilder().setServerId(silent).build());
            assertEquals(State.ACTIVE, stateAfter(Duration.ZERO, server, silent, 6));
        }
    }

    /** When a server was registered, the map is of that moment. */
    private State stateAfter(Duration time, MetadataServer server, int silent, int other) throws TatamiException {
        clock.advance(time);
        int unused = register(server, other).getServerId();
        return server.map().getBlockServerList().stream()
                .filter(info -> info.getServerId() == silent)
                .map(BlockServerInfo::getState)
                .findFirst()
                .orElseThrow();
    }
}
