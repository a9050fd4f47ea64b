package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ClusterStatus;
import io.tatami.conf.Settings;
import io.tatami.meta.service.host.GroupMapping;
import io.tatami.meta.service.host.MetadataServer;
import io.tatami.meta.service.host.NewCluster;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.GroupReplica;
import io.tatami.server.cli.TatamiServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Three metadata servers that all hold every group, in this process or in one each. Used by one thread. */
public abstract class MetadataTrio implements AutoCloseable {
    public static final int SERVERS = 3;
    static final int SHARDS = 2;

    /** Delay is no error, however slow the machine is. */
    private static final Settings CLIENT =
            Settings.of(Map.of("tatami.client.operation.timeout", "180s", "tatami.client.connect.timeout", "60s"));

    private static final long NANOS_MAX = TimeUnit.MINUTES.toNanos(4);

    /** Where each server was at its first start, and is from then on. */
    final int[] ports;

    private final IntFunction<Map<String, String>> settings;

    /**
     * @param ports 0 for any at the first start
     * @param settings of each server, by its number
     */
    MetadataTrio(int[] ports, IntFunction<Map<String, String>> settings) {
        this.ports = ports.clone();
        this.settings = settings;
    }

    final Map<String, String> settings(int server) {
        return settings.apply(server);
    }

    /** Founds the cluster, lets the others join, and returns when each group has all three as members. */
    public final void form() throws Exception {
        start(0);
        // Who joins asks the founder once, and that has to lead by then.
        try (TatamiClient client = connect("localhost:" + ports[0])) {
            ClusterStatus unused = client.cluster().status();
        }
        for (int server = 1; server < SERVERS; server++) {
            start(server);
        }
        try (TatamiClient client = connect()) {
            awaitAllMembers(client);
        }
    }

    /** Starts a server, or starts it again, and returns when it serves. */
    public abstract void start(int server) throws IOException, InterruptedException;

    /** Ends a server without a word to the others. */
    public abstract void kill(int server) throws IOException, InterruptedException;

    @Override
    public abstract void close() throws IOException;

    public final TatamiClient connect() throws TatamiException {
        return connect(authority());
    }

    private static TatamiClient connect(String authority) throws TatamiException {
        return TatamiClient.connect(authority, UserIdentity.of(System.getProperty("user.name")), CLIENT);
    }

    /** Of the cluster's URI; all servers, which have been started. */
    public final String authority() {
        List<String> servers = new ArrayList<>();
        for (int port : ports) {
            servers.add("localhost:" + port);
        }
        return String.join(",", servers);
    }

    public static void awaitAllMembers(TatamiClient client) throws Exception {
        long giveUpNanos = System.nanoTime() + NANOS_MAX;
        ClusterStatus status = client.cluster().status();
        while (!isFull(status)) {
            ClusterStatus last = status;
            assertTrue(System.nanoTime() - giveUpNanos < 0, () -> "still not full: " + last.map());
            Thread.sleep(50);
            status = client.cluster().status();
        }
    }

    private static boolean isFull(ClusterStatus status) {
        return status.groups().stream()
                .allMatch(group -> status.replicas(group.group()).stream()
                                .filter(GroupReplica::getMember)
                                .count()
                        == SERVERS);
    }

    /** Which server leads a group, by what the cluster tells. */
    public final int leader(TatamiClient client, GroupId group) throws TatamiException {
        ClusterStatus status = client.cluster().status();
        for (int server = 0; server < SERVERS; server++) {
            if (isLedBy(status, group, server)) {
                return server;
            }
        }
        throw new AssertionError("nobody leads " + group);
    }

    private boolean isLedBy(ClusterStatus status, GroupId group, int server) {
        return status.groups().stream()
                .anyMatch(
                        state -> state.group().equals(group) && state.address().endsWith(":" + ports[server]));
    }

    /**
     * Waits until the server that the cluster prefers leads a group. The founder hands the shards over to the others
     * when those have been there for ten seconds, and closes the connections that the shards served: before that, a
     * test on a slow machine loses a leader for no other reason than that it takes so long.
     */
    final void awaitPreferredLeader(TatamiClient client, GroupId group) throws Exception {
        int preferred = Math.floorMod(group.value() + 1, SERVERS);
        long giveUpNanos = System.nanoTime() + NANOS_MAX;
        while (!isLedBy(client.cluster().status(), group, preferred)) {
            assertTrue(System.nanoTime() - giveUpNanos < 0, () -> group + " is not led by server " + preferred);
            Thread.sleep(50);
        }
    }

    /** In this process; a kill closes the server, which tells nobody. */
    public static final class InOneProcess extends MetadataTrio {
        private final Path directory;
        private final GroupMapping groups;
        private final @Nullable MetadataServer[] servers = new MetadataServer[SERVERS];

        InOneProcess(Path directory) {
            this(directory, new int[SERVERS], server -> Map.of());
        }

        /** As {@link MetadataTrio}. */
        public InOneProcess(Path directory, int[] ports, IntFunction<Map<String, String>> settings) {
            this(directory, ports, settings, user -> List.of());
        }

        /** As {@link MetadataTrio}, with users in groups. */
        public InOneProcess(
                Path directory, int[] ports, IntFunction<Map<String, String>> settings, GroupMapping groups) {
            super(ports, settings);
            this.directory = directory;
            this.groups = groups;
        }

        @Override
        public void start(int server) throws TatamiException {
            ServerLocation location =
                    new ServerLocation(directory.resolve("meta-" + server), "localhost", ports[server]);
            MetadataServer founder = servers[0];
            MetadataServer started = server == 0 || founder == null
                    ? MetadataServer.open(
                            location,
                            NewCluster.onOneServer(SHARDS).withReplicas(SERVERS),
                            Settings.of(settings(server)),
                            groups,
                            Clock.SYSTEM)
                    : MetadataServer.join(
                            location,
                            List.of(founder.address()),
                            List.of(),
                            Settings.of(settings(server)),
                            groups,
                            Clock.SYSTEM);
            servers[server] = started;
            ports[server] = started.address().getPort();
        }

        @Override
        public void kill(int server) throws TatamiException {
            MetadataServer killed = servers[server];
            servers[server] = null;
            if (killed != null) {
                killed.close();
            }
        }

        /** All at once, as each waits for its Raft threads to end. */
        @Override
        public void close() throws IOException {
            ExecutorService threads = Executors.newFixedThreadPool(SERVERS);
            try {
                List<Callable<Void>> ends = new ArrayList<>();
                for (int server = 0; server < SERVERS; server++) {
                    int ended = server;
                    ends.add(() -> {
                        kill(ended);
                        return null;
                    });
                }
                for (Future<Void> end : threads.invokeAll(ends)) {
                    end.get();
                }
            } catch (InterruptedException | ExecutionException e) {
                throw new IOException("a metadata server did not close", e);
            } finally {
                threads.shutdown();
            }
        }
    }

    /** A process each; a kill is {@code kill -9}. */
    public static final class InProcesses extends MetadataTrio {
        private final Path directory;
        private final @Nullable ServerProcess[] servers = new ServerProcess[SERVERS];

        InProcesses(Path directory) {
            this(directory, new int[SERVERS], server -> Map.of());
        }

        /** As {@link MetadataTrio}. */
        public InProcesses(Path directory, int[] ports, IntFunction<Map<String, String>> settings) {
            super(ports, settings);
            this.directory = directory;
        }

        /** Of a server that runs. */
        public long pid(int server) {
            return running(server).pid();
        }

        /** {@link ServerProcess#report} of a server that runs. */
        public String report(int server) throws IOException, InterruptedException {
            return running(server).report();
        }

        private ServerProcess running(int server) {
            ServerProcess running = servers[server];
            if (running == null) {
                throw new IllegalStateException("server " + server + " does not run");
            }
            return running;
        }

        @Override
        public void start(int server) throws IOException, InterruptedException {
            List<String> words = new ArrayList<>(List.of("metadata", "--port=" + ports[server]));
            words.addAll(
                    server == 0
                            ? List.of("--replicas=" + SERVERS, "--shards=" + SHARDS)
                            : List.of("--join=localhost:" + ports[0]));
            ServerProcess started = ServerProcess.start(
                    directory.resolve("meta-" + server), TatamiServer.class, options(server), words);
            servers[server] = started;
            String uri = started.awaitUri();
            ports[server] = Integer.parseInt(uri.substring(uri.lastIndexOf(':') + 1));
        }

        private List<String> options(int server) {
            return settings(server).entrySet().stream()
                    .map(setting -> "-D" + setting.getKey() + "=" + setting.getValue())
                    .toList();
        }

        @Override
        public void kill(int server) throws InterruptedException {
            ServerProcess killed = servers[server];
            servers[server] = null;
            if (killed != null) {
                killed.kill();
            }
        }

        @Override
        public void close() throws IOException {
            for (ServerProcess server : servers) {
                if (server != null) {
                    server.beginEnd();
                }
            }
            for (ServerProcess server : servers) {
                if (server != null) {
                    server.close();
                }
            }
        }
    }
}
