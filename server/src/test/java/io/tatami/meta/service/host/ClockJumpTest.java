package io.tatami.meta.service.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.GetDirectoryRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.ListMetadataServersRequest;
import io.tatami.protocol.wire.ResolveRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A metadata server whose system's clock is set wrong. */
final class ClockJumpTest {
    private static final String SUPERUSER = System.getProperty("user.name");
    private static final Duration YEAR = Duration.ofDays(365);

    @TempDir
    private Path directory = Path.of("");

    private final SteppingClock system = new SteppingClock(true);
    private int port;

    private MetadataServer open(NewCluster fresh, Map<String, String> settings) throws TatamiException {
        MetadataServer server = MetadataServer.open(
                new ServerLocation(directory.resolve("one"), "localhost", port),
                fresh,
                Settings.of(settings),
                user -> List.of("users"),
                system);
        port = server.address().getPort();
        return server;
    }

    private MetadataServer open() throws TatamiException {
        return open(NewCluster.onOneServer(1), Map.of());
    }

    private static void mkdirs(MetadataServer server, String path) throws TatamiException {
        var unused = MetadataServerTest.call(
                server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.MKDIRS, MetadataServerTest.mkdirs(path));
    }

    /** Once both groups are led and connected. */
    private static void mkdirsPatiently(MetadataServer server, String path) throws TatamiException {
        long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (true) {
            try {
                mkdirs(server, path);
                return;
            } catch (TatamiException e) {
                if (!e.code().isRetryable() || System.nanoTime() - giveUp > 0) {
                    throw e;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }
        }
    }

    private static long modifiedMillis(MetadataServer server, String path) throws TatamiException {
        GetDirectoryRequest request =
                GetDirectoryRequest.newBuilder().setPath(path).build();
        return MetadataServerTest.call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.GET_DIRECTORY, request)
                .getStatus()
                .getAttributes()
                .getModifiedMillis();
    }

    private static long handleEndsMillis(MetadataServer server, String path)
            throws TatamiException, InvalidProtocolBufferException {
        ResolveRequest request = ResolveRequest.newBuilder().setPath(path).build();
        return Handle.parseFrom(
                        MetadataServerTest.call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.RESOLVE, request)
                                .getHandle()
                                .getPayload())
                .getExpiresMillis();
    }

    private static long reportedSeconds(MetadataServer server) throws TatamiException {
        return MetadataServerTest.call(
                        server,
                        SUPERUSER,
                        GroupId.NAMESPACE,
                        MetaMethods.LIST_METADATA_SERVERS,
                        ListMetadataServersRequest.getDefaultInstance())
                .getServer(0)
                .getClockAheadSeconds();
    }

    @Test
    void jumpOfAYearMovesNoTimesAndIsReported() throws Exception {
        try (MetadataServer server = open()) {
            mkdirs(server, "/before");
            long before = modifiedMillis(server, "/before");

            system.step(YEAR);
            mkdirs(server, "/after");
            long limit = system.wallMillis() - YEAR.toMillis() + 1;
            assertTrue(before <= modifiedMillis(server, "/after"));
            assertTrue(modifiedMillis(server, "/after") <= limit);
            assertTrue(handleEndsMillis(server, "/after") < limit + TimeUnit.HOURS.toMillis(1));
            long giveUp = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
            while (reportedSeconds(server) == 0) {
                assertTrue(System.nanoTime() < giveUp, "the jump is reported");
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
            }

            system.step(YEAR.negated());
            mkdirs(server, "/right");
            assertTrue(before <= modifiedMillis(server, "/right"));
            assertTrue(modifiedMillis(server, "/right") <= system.wallMillis());
        }
        try (MetadataServer server = open()) {
            mkdirs(server, "/again");
            assertTrue(modifiedMillis(server, "/again") <= system.wallMillis());
        }
    }

    @Test
    void timesThatPassTogetherAreFollowed() throws Exception {
        try (MetadataServer server = open()) {
            mkdirs(server, "/before");
            system.pass(YEAR);
            // By this clock the connections between the server's groups are silent for a year, and are opened anew.
            mkdirsPatiently(server, "/after");
            assertTrue(modifiedMillis(server, "/after") - modifiedMillis(server, "/before") >= YEAR.toMillis());
        }
    }

    @Test
    void startFarAheadOfTheLogIsRefusedUntilTheClockIsRightOrTheLimitIsRaised() throws Exception {
        try (MetadataServer server = open()) {
            mkdirs(server, "/made");
        }
        system.step(YEAR.multipliedBy(2));
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                assertThrows(TatamiException.class, this::open).code());
        system.step(YEAR.multipliedBy(-2));
        try (MetadataServer server = open()) {
            mkdirs(server, "/right");
        }
        system.step(YEAR.multipliedBy(2));
        try (MetadataServer server =
                open(NewCluster.onOneServer(1), Map.of("tatami.meta.clock.start.ahead.max", "800d"))) {
            mkdirs(server, "/confirmed");
            assertTrue(system.wallMillis() - modifiedMillis(server, "/confirmed") < YEAR.toMillis());
        }
        try (MetadataServer server = open()) {
            mkdirs(server, "/once");
        }
    }

    @Test
    void serverOfReplicatedGroupsEndsWhereItWouldLeadWithAClockFarAhead() throws Exception {
        NewCluster replicated = NewCluster.onOneServer(1).withReplicas(3);
        try (MetadataServer server = open(replicated, Map.of())) {
            mkdirsPatiently(server, "/made");
        }
        system.step(YEAR.multipliedBy(2));
        try (MetadataServer server = open(replicated, Map.of())) {
            String reason = server.ended().get(1, TimeUnit.MINUTES);
            assertTrue(reason.contains("the system's clock says"), reason);
        }
        system.step(YEAR.multipliedBy(-2));
        try (MetadataServer server = open(replicated, Map.of())) {
            mkdirsPatiently(server, "/right");
        }
    }
}
