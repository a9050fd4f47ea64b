package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ReplicationProgress;
import io.tatami.conf.Settings;
import io.tatami.files.CrashPoint;
import io.tatami.meta.service.host.MetadataServer;
import io.tatami.meta.service.host.NewCluster;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.protocol.UserIdentity;
import io.tatami.seed.TestSeed;
import io.tatami.server.cli.TatamiServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server is halted while its cluster goes over from one metadata server to three, and is started again. Clients see
 * delay and no error, the cluster comes to where it was to go, all that was acknowledged is there, and is so without
 * that server, too.
 */
final class GrowingCrashTest {
    /** Of the server that has had the groups alone. */
    private static final List<String> FIRST = List.of(
            "meta.replicate.begun",
            "meta.replicate.port-noted",
            "meta.replicate.local-log-ended",
            "meta.replicate.noted",
            "raft.open.sealed",
            "raft.open.begun",
            "raft.open.beginning-kept",
            "raft.open.log-made",
            "raft.open.noted",
            "meta.replicate.replica-opened",
            "meta.replicate.placed",
            "meta.move.members-set");

    /** Of one that is given replicas. */
    private static final List<String> GIVEN = List.of(
            "meta.move.replica-named",
            "meta.replicate.port-noted",
            "raft.open.sealed",
            "raft.open.begun",
            "raft.open.log-made",
            "raft.open.noted",
            "meta.move.replica-opened");

    /** Passed once in a cluster's growing, by each server. */
    private static final List<String> ONCE = List.of("meta.replicate.port-noted");

    private static final long NANOS_MAX = TimeUnit.MINUTES.toNanos(4);
    private static final int STEPS = 3;
    private static final Settings CLIENT =
            Settings.of(Map.of("tatami.client.operation.timeout", "180s", "tatami.client.connect.timeout", "60s"));

    @TempDir
    private Path directory = Path.of("");

    @Test
    void aClusterThatGrowsGoesOnAfterItsFirstServerWasHaltedAtAPointChosenByTheSeed() throws Exception {
        long seed = TestSeed.draw();
        haltAt(FIRST.get(new Random(seed).nextInt(FIRST.size())), 1, true, 1, seed);
    }

    /** Each group goes through each point; goes on where the log ends. */
    @Test
    @Tag("soak")
    void aClusterThatGrowsGoesOnAfterAHaltAtAnyPoint() throws Exception {
        Path log = Path.of(System.getProperty("tatami.soak.log", "soak/growing-crashes.log"));
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.getLong("tatami.soak.seconds", 3_600));
        List<String> done = Files.exists(log) ? Files.readAllLines(log) : List.of();
        int shards = 2;
        for (boolean first : List.of(true, false)) {
            for (String point : first ? FIRST : GIVEN) {
                for (int pass = 1; pass <= (ONCE.contains(point) ? 1 : shards + 1); pass++) {
                    String name = (first ? "first " : "given ") + point + ":" + pass;
                    if (done.stream().anyMatch(line -> line.startsWith(name + " ")) || System.nanoTime() > endNanos) {
                        continue;
                    }
                    long begunNanos = System.nanoTime();
                    long steps = haltAt(point, pass, first, shards, pass);
                    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begunNanos);
                    Files.createDirectories(log.toAbsolutePath().getParent());
                    Files.writeString(
                            log,
                            name + " halted, went on: 0 lost, 0 errors, " + steps + " steps acknowledged, " + millis
                                    + " ms\n",
                            StandardOpenOption.CREATE,
                            StandardOpenOption.APPEND);
                }
            }
        }
    }

    /** Returns how much was acknowledged. */
    private long haltAt(String point, int pass, boolean first, int shards, long seed) throws Exception {
        Path home = Files.createDirectories(directory.resolve((first ? "first-" : "given-") + point + "-" + pass));
        try (Trio trio = new Trio(home, shards, first ? 0 : 2, point + ":" + pass)) {
            trio.startAll();
            List<FailoverClient> clients = new ArrayList<>();
            try (TatamiClient observer = trio.connect()) {
                for (int i = 0; i < 2; i++) {
                    FailoverClient client = new FailoverClient(trio.connect(), "client-" + i, seed + i);
                    clients.add(client);
                    client.start();
                }
                awaitSteps(clients);
                begin(observer);
                trio.awaitHalt();
                trio.startVictim(List.of());
                awaitDone(observer, shards + 1);
                awaitSteps(clients);
                trio.killVictim();
                awaitSteps(clients);
                for (FailoverClient client : clients) {
                    client.check(observer);
                }
            } finally {
                clients.forEach(FailoverClient::close);
            }
            return clients.stream().mapToLong(FailoverClient::steps).sum();
        }
    }

    /** A server is counted once it has reported. */
    private static void begin(TatamiClient client) throws Exception {
        long giveUpNanos = System.nanoTime() + NANOS_MAX;
        while (true) {
            try {
                ReplicationProgress unused = client.cluster().replicateMetadata(3);
                return;
            } catch (TatamiException e) {
                boolean isEarly = String.valueOf(e.getMessage()).contains("start more");
                assertTrue(isEarly && System.nanoTime() - giveUpNanos < 0, e::toString);
                Thread.sleep(50);
            }
        }
    }

    private static void awaitDone(TatamiClient client, int groups) throws Exception {
        long giveUpNanos = System.nanoTime() + NANOS_MAX;
        ReplicationProgress progress = client.cluster().replicateMetadata(0);
        while (!progress.isDone() || !progress.state().isEmpty()) {
            ReplicationProgress last = progress;
            assertTrue(System.nanoTime() - giveUpNanos < 0, () -> "still " + last);
            Thread.sleep(50);
            progress = client.cluster().replicateMetadata(0);
        }
        assertEquals(new ReplicationProgress(3, groups, groups, ""), progress);
    }

    private static void awaitSteps(List<FailoverClient> clients) throws InterruptedException {
        for (FailoverClient client : clients) {
            client.awaitSteps(STEPS);
        }
    }

    /** Three servers, of which the one to be halted has a process of its own. */
    private static final class Trio implements AutoCloseable {
        private final Path home;
        private final int shards;
        private final int victim;
        private final String point;
        private final List<Integer> ports = new ArrayList<>(List.of(0, 0, 0));
        private final List<MetadataServer> others = new ArrayList<>();
        private @Nullable ServerProcess process;

        Trio(Path home, int shards, int victim, String point) {
            this.home = home;
            this.shards = shards;
            this.victim = victim;
            this.point = point;
        }

        void startAll() throws Exception {
            for (int server = 0; server < 3; server++) {
                if (server == victim) {
                    startVictim(List.of("-D" + CrashPoint.PROPERTY + "=" + point));
                } else {
                    ServerLocation location = new ServerLocation(home.resolve("meta-" + server), "localhost", 0);
                    MetadataServer started = server == 0
                            ? MetadataServer.open(
                                    location,
                                    NewCluster.onOneServer(shards),
                                    Settings.defaults(),
                                    user -> List.of(),
                                    Clock.SYSTEM)
                            : MetadataServer.join(
                                    location,
                                    List.of(InetSocketAddress.createUnresolved("localhost", ports.get(0))),
                                    List.of(),
                                    Settings.defaults(),
                                    user -> List.of(),
                                    Clock.SYSTEM);
                    others.add(started);
                    ports.set(server, started.address().getPort());
                }
            }
        }

        void startVictim(List<String> options) throws Exception {
            List<String> words = new ArrayList<>(List.of("metadata", "--port=" + ports.get(victim)));
            words.add(victim == 0 ? "--shards=" + shards : "--join=localhost:" + ports.get(0));
            ServerProcess started = ServerProcess.start(home.resolve("victim"), TatamiServer.class, options, words);
            process = started;
            String uri = started.awaitUri();
            ports.set(victim, Integer.parseInt(uri.substring(uri.lastIndexOf(':') + 1)));
        }

        void awaitHalt() throws Exception {
            assertEquals(CrashPoint.EXIT_CODE, Objects.requireNonNull(process).awaitExit(), point);
        }

        void killVictim() throws InterruptedException {
            Objects.requireNonNull(process).kill();
        }

        TatamiClient connect() throws TatamiException {
            String authority = ports.stream().map(port -> "localhost:" + port).collect(Collectors.joining(","));
            return TatamiClient.connect(authority, UserIdentity.of(System.getProperty("user.name")), CLIENT);
        }

        @Override
        public void close() throws IOException {
            ServerProcess last = process;
            if (last != null) {
                last.close();
            }
            for (MetadataServer server : others) {
                server.close();
            }
        }
    }
}
