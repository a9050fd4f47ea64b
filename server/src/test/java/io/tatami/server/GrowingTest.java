package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ReplicationProgress;
import io.tatami.conf.Settings;
import io.tatami.meta.service.host.MetadataServer;
import io.tatami.meta.service.host.NewCluster;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.protocol.UserIdentity;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A cluster on one metadata server goes on as one on three, while clients work: they see delay and no error. */
final class GrowingTest {
    private static final long SEED = Long.getLong("tatami.test.seed", System.nanoTime());
    private static final int SHARDS = 1;
    private static final int STEPS = 5;
    private static final long NANOS_MAX = TimeUnit.MINUTES.toNanos(3);
    private static final Settings CLIENT =
            Settings.of(Map.of("tatami.client.operation.timeout", "180s", "tatami.client.connect.timeout", "60s"));

    @TempDir
    private Path directory = Path.of("");

    private final NavigableMap<Integer, MetadataServer> servers = new TreeMap<>();
    private final Map<Integer, Integer> ports = new TreeMap<>();

    @AfterEach
    void closeAll() throws TatamiException {
        for (MetadataServer server : servers.values()) {
            server.close();
        }
    }

    private Path directory(int server) {
        return directory.resolve("meta-" + server);
    }

    private void start(int server) throws TatamiException {
        ServerLocation location = new ServerLocation(directory(server), "localhost", ports.getOrDefault(server, 0));
        MetadataServer started = server == 0
                ? MetadataServer.open(
                        location, NewCluster.onOneServer(SHARDS), Settings.defaults(), user -> List.of(), Clock.SYSTEM)
                : MetadataServer.join(
                        location, seeds(), List.of(), Settings.defaults(), user -> List.of(), Clock.SYSTEM);
        servers.put(server, started);
        ports.put(server, started.address().getPort());
    }

    private List<InetSocketAddress> seeds() {
        return ports.values().stream()
                .map(port -> InetSocketAddress.createUnresolved("localhost", port))
                .toList();
    }

    private void kill(int server) throws TatamiException {
        MetadataServer killed = servers.remove(server);
        if (killed != null) {
            killed.close();
        }
    }

    private TatamiClient connect() throws TatamiException {
        String authority =
                ports.values().stream().map(port -> "localhost:" + port).collect(Collectors.joining(","));
        return TatamiClient.connect(authority, UserIdentity.of(System.getProperty("user.name")), CLIENT);
    }

    private static void awaitReplicas(TatamiClient client, int replicas) throws Exception {
        long giveUpNanos = System.nanoTime() + NANOS_MAX;
        ReplicationProgress progress = client.cluster().replicateMetadata(replicas);
        while (!progress.isDone()) {
            ReplicationProgress last = progress;
            assertTrue(System.nanoTime() - giveUpNanos < 0, () -> "still " + last);
            Thread.sleep(50);
            progress = client.cluster().replicateMetadata(0);
        }
        assertEquals(new ReplicationProgress(replicas, SHARDS + 1, SHARDS + 1, ""), settled(client));
    }

    /** The end of it is noted a moment after the last group is there. */
    private static ReplicationProgress settled(TatamiClient client) throws Exception {
        long giveUpNanos = System.nanoTime() + NANOS_MAX;
        ReplicationProgress progress = client.cluster().replicateMetadata(0);
        while (!progress.state().isEmpty()) {
            assertTrue(System.nanoTime() - giveUpNanos < 0);
            Thread.sleep(20);
            progress = client.cluster().replicateMetadata(0);
        }
        return progress;
    }

    /** What was written before, meanwhile and after is there, with the server that it was written to gone. */
    @Test
    void clientsGoOnWhileTheirClusterGrowsAndAfterItsFirstServerDied() throws Exception {
        System.out.println("tatami.test.seed=" + SEED);
        start(0);
        List<FailoverClient> clients = new ArrayList<>();
        try (TatamiClient observer = connect()) {
            for (int i = 0; i < 2; i++) {
                FailoverClient client = new FailoverClient(connect(), "client-" + i, SEED + i);
                clients.add(client);
                client.start();
            }
            awaitSteps(clients);
            start(1);
            start(2);
            awaitReplicas(observer, 3);
            awaitSteps(clients);
            assertEquals(
                    new ReplicationProgress(3, SHARDS + 1, SHARDS + 1, ""),
                    observer.cluster().replicateMetadata(3),
                    "again");
            assertRefused(observer, 1, "the number cannot be reduced");
            kill(0);
            awaitSteps(clients);
            for (FailoverClient client : clients) {
                client.check(observer);
            }
        } finally {
            clients.forEach(FailoverClient::close);
        }
    }

    @Test
    void whatCannotBeIsRefusedWithTheRemedy() throws Exception {
        start(0);
        try (TatamiClient client = connect()) {
            assertEquals(
                    new ReplicationProgress(1, SHARDS + 1, SHARDS + 1, ""),
                    client.cluster().replicateMetadata(1));
            assertRefused(client, 3, "3 metadata servers, and 1 answers; start more with tatami start metadata --join");
            assertRefused(client, 2, "odd");
            assertRefused(client, 9, "from 3 to 7");
            start(1);
            assertRefused(client, 3, "and 2 answer; start more");
        }
    }

    private static void assertRefused(TatamiClient client, int replicas, String reason) throws Exception {
        // A server is counted once it has reported.
        long giveUpNanos = System.nanoTime() + NANOS_MAX;
        while (true) {
            TatamiException refusal =
                    assertThrows(TatamiException.class, () -> client.cluster().replicateMetadata(replicas), reason);
            assertEquals(ErrorCode.INVALID_ARGUMENT, refusal.code());
            if (String.valueOf(refusal.getMessage()).contains(reason)) {
                return;
            }
            assertTrue(System.nanoTime() - giveUpNanos < 0, refusal::toString);
            Thread.sleep(50);
        }
    }

    private static void awaitSteps(List<FailoverClient> clients) throws InterruptedException {
        for (FailoverClient client : clients) {
            client.awaitSteps(STEPS);
        }
    }
}
