package io.tatami.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ClientSettings;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.relay.FreePorts;
import io.tatami.relay.TcpRelay;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a command says of an address that does not answer, by the reason. */
final class ClusterAddressTest {
    private static final Duration NEVER = Duration.ofHours(1);

    private final BlockingQueue<String> notices = new LinkedBlockingQueue<>();

    @TempDir
    private Path directory;

    /** With this patience a test would not end, did a refused connection not end the wait. */
    @Test
    void aRefusedConnectionIsToldAtOnce() throws Exception {
        InetSocketAddress free = FreePorts.find();
        TatamiException failure =
                assertUnavailable("localhost:" + free.getPort(), new Patience(NEVER, NEVER, notices::add));
        assertTrue(message(failure).contains("refused"), message(failure));
        assertTrue(message(failure).contains("tatami start"), message(failure));
        assertTrue(notices.isEmpty(), notices::toString);
    }

    @Test
    void anUnknownHostIsToldAtOnce() throws Exception {
        TatamiException failure =
                assertUnavailable("no-such-host.invalid:9480", new Patience(NEVER, NEVER, notices::add));
        assertTrue(message(failure).contains("cannot be resolved"), message(failure));
        assertTrue(notices.isEmpty(), notices::toString);
    }

    @Test
    void severalAddressesAreToldEachWithItsReason() throws Exception {
        InetSocketAddress free = FreePorts.find();
        String refused = "localhost:" + free.getPort();
        TatamiException failure =
                assertUnavailable(refused + ",no-such-host.invalid:9480", new Patience(NEVER, NEVER, notices::add));
        assertTrue(message(failure).contains(refused + ": the connection is refused"), message(failure));
        assertTrue(message(failure).contains("no-such-host.invalid:9480: the host's name"), message(failure));
        assertTrue(message(failure).contains("tatami start"), message(failure));
    }

    /** Programs that open a client themselves, as Hadoop's shell does; the last of many attempts ends with the time. */
    @Test
    void aClientWithoutAServerIsToldTheReasonAndNotThatItsTimeWasOver() throws Exception {
        Settings settings = Settings.of(Map.of(ClientSettings.CONNECT_TIMEOUT.key(), "1s"));
        for (String authority : List.of(
                "no-such-host.invalid:9480", "localhost:" + FreePorts.find().getPort())) {
            TatamiException failure = assertThrows(
                    TatamiException.class,
                    () -> TatamiClient.connect(authority, UserIdentity.of("somebody"), settings));
            assertEquals(ErrorCode.UNAVAILABLE, failure.code());
            String reason =
                    authority.startsWith("localhost") ? "cannot connect to" : "no-such-host.invalid cannot be resolved";
            assertTrue(message(failure).contains(reason), message(failure));
        }
    }

    /** Connections wait in the socket's queue, as where a process is stopped or its host is too busy. */
    @Test
    void aServerThatTakesConnectionsAndIsSilentIsCalledBusy() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByName("localhost"))) {
            Patience patience = new Patience(Duration.ofMillis(100), Duration.ofSeconds(2), notices::add);
            TatamiException failure = assertUnavailable("localhost:" + silent.getLocalPort(), patience);
            assertTrue(
                    message(failure).contains("takes connections, but did not answer within 2000 ms"),
                    message(failure));
            assertEquals(1, notices.size());
            assertTrue(notices.remove().contains("waiting for localhost:"));
            assertInstanceOf(TatamiException.class, failure.getCause());
        }
    }

    @Test
    void aServerThatAnswersAfterTheNoticeIsConnectedTo() throws Exception {
        try (StandaloneNode node = StandaloneNode.open(
                new StandaloneNode.Setup(directory, List.of(), 64L << 20, "localhost", 0, 1),
                Settings.of(Map.of()),
                user -> List.of())) {
            InetSocketAddress target =
                    new InetSocketAddress("localhost", URI.create(node.uri()).getPort());
            InetSocketAddress at = FreePorts.find();
            try (TcpRelay relay = new TcpRelay(at, target)) {
                relay.holdReplies(true);
                Patience patience = new Patience(Duration.ofMillis(100), NEVER, line -> {
                    notices.add(line);
                    relay.holdReplies(false);
                });
                try (TatamiClient client = new ClusterAddress("localhost:" + at.getPort()).connect(patience)) {
                    assertEquals(1, client.cluster().status().map().getShards());
                }
                assertEquals(1, notices.size());
            }
        }
    }

    private static TatamiException assertUnavailable(String authority, Patience patience) {
        TatamiException failure =
                assertThrows(TatamiException.class, () -> new ClusterAddress(authority).connect(patience));
        assertEquals(ErrorCode.UNAVAILABLE, failure.code());
        return failure;
    }

    private static String message(TatamiException failure) {
        return String.valueOf(failure.getMessage());
    }
}
