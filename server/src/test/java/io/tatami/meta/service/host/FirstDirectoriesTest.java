package io.tatami.meta.service.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.files.CrashPoint;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.DeleteDirectoryRequest;
import io.tatami.protocol.wire.GetDirectoryRequest;
import io.tatami.protocol.wire.GroupStatusRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a cluster begins with whose groups are served by several processes. */
final class FirstDirectoriesTest {
    private static final String FOUNDER = System.getProperty("user.name");
    private static final String HOME = "/user/" + FOUNDER;
    private static final NewCluster NAMESPACE_ALONE = new NewCluster(2, List.of(GroupId.NAMESPACE));

    @TempDir
    private Path directory = Path.of("");

    @AfterEach
    void passCrashPoints() {
        CrashPoint.listen(null);
    }

    private MetadataServer openNamespace() throws TatamiException {
        ServerLocation location = new ServerLocation(directory.resolve("namespace"), "127.0.0.1", 0);
        return MetadataServer.open(location, NAMESPACE_ALONE, Settings.defaults(), user -> List.of(), Clock.SYSTEM);
    }

    private MetadataServer openShards(MetadataServer namespace) throws TatamiException {
        ServerLocation location = new ServerLocation(directory.resolve("shards"), "127.0.0.1", 0);
        return MetadataServer.join(
                location,
                List.of(namespace.address()),
                List.of(),
                Settings.defaults(),
                user -> List.of(),
                Clock.SYSTEM);
    }

    private static Optional<Attributes> find(MetadataServer namespace, String path) throws TatamiException {
        try {
            GetDirectoryRequest request =
                    GetDirectoryRequest.newBuilder().setPath(path).build();
            return Optional.of(
                    MetadataServerTest.call(namespace, FOUNDER, GroupId.NAMESPACE, MetaMethods.GET_DIRECTORY, request)
                            .getStatus()
                            .getAttributes());
        } catch (TatamiException e) {
            assertEquals(ErrorCode.NOT_FOUND, e.code());
            return Optional.empty();
        }
    }

    private static boolean isMissing(MetadataServer namespace) throws TatamiException {
        return MetadataServerTest.call(
                        namespace,
                        FOUNDER,
                        GroupId.NAMESPACE,
                        MetaMethods.GROUP_STATUS,
                        GroupStatusRequest.getDefaultInstance())
                .getFirstDirectoriesMissing();
    }

    private static void awaitAll(MetadataServer namespace) throws Exception {
        for (int tries = 0; isMissing(namespace); tries++) {
            assertTrue(tries < 600, "the first directories are not made");
            Thread.sleep(50);
        }
    }

    private static void delete(MetadataServer namespace, String path) throws TatamiException {
        DeleteDirectoryRequest request =
                DeleteDirectoryRequest.newBuilder().setPath(path).build();
        assertEquals(
                0,
                MetadataServerTest.call(namespace, FOUNDER, GroupId.NAMESPACE, MetaMethods.DELETE_DIRECTORY, request)
                        .getSerializedSize());
    }

    @Test
    void theyAreMadeOnceTheShardsAreServedAndNotAgain() throws Exception {
        try (MetadataServer namespace = openNamespace()) {
            assertTrue(isMissing(namespace));
            assertTrue(find(namespace, "/tmp").isEmpty(), "no shard could keep the name");
        }
        try (MetadataServer namespace = openNamespace();
                MetadataServer shards = openShards(namespace)) {
            awaitAll(namespace);
            assertEquals(shards.cluster(), namespace.cluster());
            Attributes tmp = find(namespace, "/tmp").orElseThrow();
            assertEquals(01777, tmp.getMode());
            assertEquals(FOUNDER, tmp.getOwner());
            assertEquals(find(namespace, "/").orElseThrow().getGroup(), tmp.getGroup());
            Attributes home = find(namespace, HOME).orElseThrow();
            assertEquals(0755, home.getMode());
            assertEquals(FOUNDER, home.getOwner());
            delete(namespace, "/tmp");
        }
        try (MetadataServer namespace = openNamespace();
                MetadataServer shards = openShards(namespace)) {
            assertEquals(shards.cluster(), namespace.cluster());
            awaitAll(namespace);
            assertTrue(find(namespace, "/tmp").isEmpty(), "made again after it was deleted");
            assertTrue(find(namespace, HOME).isPresent());
        }
    }

    @Test
    void aServerThatEndsBetweenThemGoesOnWithTheNext() throws Exception {
        CrashPoint.listen(point -> {
            if (point.equals("meta.first-directories.before.user")) {
                throw new IllegalStateException("cut off");
            }
        });
        try (MetadataServer namespace = openNamespace();
                MetadataServer shards = openShards(namespace)) {
            assertEquals(shards.cluster(), namespace.cluster());
            for (int tries = 0; find(namespace, "/tmp").isEmpty(); tries++) {
                assertTrue(tries < 600, "/tmp is not made");
                Thread.sleep(50);
            }
            assertTrue(find(namespace, HOME).isEmpty());
            delete(namespace, "/tmp");
        }
        CrashPoint.listen(null);
        try (MetadataServer namespace = openNamespace();
                MetadataServer shards = openShards(namespace)) {
            assertEquals(shards.cluster(), namespace.cluster());
            awaitAll(namespace);
            assertTrue(find(namespace, HOME).isPresent());
            assertFalse(find(namespace, "/tmp").isPresent(), "made again after it was deleted");
        }
    }
}
