package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.ClusterStatus;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.FsckReport;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.files.CrashPoint;
import io.tatami.meta.service.host.MetadataServer;
import io.tatami.meta.service.host.NewCluster;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.protocol.UserIdentity;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.ClusterAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A file moves from one shard's process to another's, and at each step of the move one of them, or both, are killed and
 * started again. The rename is done all the same, the file has exactly one name and its bytes, and nothing is left
 * over.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class RenameCrashTest {
    private static final int SOURCE = 0;
    private static final int DESTINATION = 1;
    private static final int SHARDS = 2;
    private static final long SECONDS_MAX = 60;
    private static final List<String> POINTS =
            List.of("meta.move.begun", "meta.move.prepared", "meta.move.committed", "meta.move.finished");
    private static final Settings SETTINGS = Settings.of(Map.of("tatami.client.operation.timeout", "60s"));

    private final Random random = new Random(17);
    private final ServerProcess[] shards = new ServerProcess[SHARDS];
    private final Deque<AutoCloseable> servers = new ArrayDeque<>();
    private Path directory;
    private String uri;
    private TatamiClient client;

    /** Directories whose file {@code f} each shard has. */
    private final List<Deque<TatamiPath>> directories = List.of(new ArrayDeque<>(), new ArrayDeque<>());

    /** The namespace group and the block server are not killed, and so may live here. */
    @BeforeAll
    void start(@TempDir Path temporary) throws Exception {
        directory = temporary;
        Files.createDirectories(directory.resolve("steering"));
        MetadataServer namespace = MetadataServer.open(
                new ServerLocation(directory.resolve("namespace"), "localhost", 0),
                new NewCluster(SHARDS, List.of(GroupId.NAMESPACE)),
                SETTINGS,
                user -> List.of(),
                Clock.SYSTEM);
        servers.push(namespace);
        uri = "tatami://localhost:" + namespace.address().getPort();
        startShard(SOURCE);
        startShard(DESTINATION);
        shards[SOURCE].awaitUri();
        shards[DESTINATION].awaitUri();
        servers.push(BlockNode.open(
                new BlockNode.Setup(directory.resolve("block"), List.of(), 1L << 28, "localhost", 0),
                namespace.cluster(),
                List.of(namespace.address()),
                BlockServerSettings.from(SETTINGS)));
        client = TatamiClient.connect(
                ClusterAddress.of(uri).authority(), UserIdentity.of(System.getProperty("user.name")), SETTINGS);
        servers.push(client);
        findDirectories();
    }

    @AfterAll
    void stop() throws Exception {
        for (ServerProcess shard : shards) {
            if (shard != null) {
                servers.addLast(shard);
            }
        }
        for (AutoCloseable server : servers) {
            server.close();
        }
    }

    private void startShard(int shard) throws IOException {
        shards[shard] = ServerProcess.start(
                directory.resolve("shard-" + shard),
                SteeredServer.class,
                List.of("-D" + SteeredServer.PROPERTY + "=" + directory.resolve("steering")),
                List.of("metadata", "--port=0", "--host-shards=" + shard, "--join=" + uri));
    }

    private void restartShards(int... killed) throws IOException, InterruptedException {
        for (int shard : killed) {
            startShard(shard);
        }
        for (int shard : killed) {
            shards[shard].awaitUri();
        }
    }

    /** Enough for every case, found by watching which shard counts a file more. */
    private void findDirectories() throws IOException {
        for (int i = 0; directories.stream().anyMatch(list -> list.size() < 12); i++) {
            TatamiPath file = TatamiPath.of("/d" + i + "/f");
            long before = files(SOURCE);
            client.create(file, CreateSpec.DEFAULT.withCreateParents(true)).close();
            directories.get(files(SOURCE) > before ? SOURCE : DESTINATION).add(file.parent());
            assertTrue(client.delete(file, false));
        }
    }

    private long files(int shard) throws IOException {
        return state(shard).getFiles();
    }

    private io.tatami.protocol.wire.GroupStatusReply state(int shard) throws IOException {
        for (ClusterStatus.GroupState group : client.cluster().status().groups()) {
            if (group.group().equals(GroupId.ofShard(shard)) && group.status() != null) {
                return group.status();
            }
        }
        throw new IOException("shard " + shard + " does not tell its state");
    }

    @Test
    void theDestinationMayDieAtEachStep() throws Exception {
        for (String point : POINTS) {
            check(point, move -> {
                steer(point + ".halt");
                move.begin();
                assertEquals(CrashPoint.EXIT_CODE, shards[DESTINATION].awaitExit(), point);
                restartShards(DESTINATION);
            });
        }
    }

    @Test
    void theSourceMayDieAtEachStep() throws Exception {
        for (String point : POINTS) {
            check(point, move -> {
                steer(point + ".pause");
                move.begin();
                awaitFile(point + ".paused");
                shards[SOURCE].kill();
                startShard(SOURCE);
                Files.delete(directory.resolve("steering").resolve(point + ".paused"));
                shards[SOURCE].awaitUri();
            });
        }
    }

    @Test
    @Tag("soak")
    void bothMayDieAtOnceAtEachStep() throws Exception {
        for (String point : POINTS) {
            check(point, move -> {
                steer(point + ".pause");
                move.begin();
                awaitFile(point + ".paused");
                shards[DESTINATION].kill();
                shards[SOURCE].kill();
                Files.delete(directory.resolve("steering").resolve(point + ".paused"));
                restartShards(SOURCE, DESTINATION);
            });
        }
    }

    @FunctionalInterface
    private interface Accident {
        void happen(Move move) throws Exception;
    }

    /** A rename on its way. */
    private final class Move {
        private final TatamiPath from;
        private final TatamiPath to;
        private CompletableFuture<Void> renamed = new CompletableFuture<>();

        Move(TatamiPath from, TatamiPath to) {
            this.from = from;
            this.to = to;
        }

        void begin() {
            renamed = CompletableFuture.runAsync(() -> {
                try {
                    client.rename(from, to, false);
                } catch (IOException e) {
                    throw new java.io.UncheckedIOException(e);
                }
            });
        }
    }

    private void check(String point, Accident accident) throws Exception {
        Move move = new Move(
                directories.get(SOURCE).remove().child("f"),
                directories.get(DESTINATION).remove().child("f"));
        byte[] bytes = new byte[random.nextBoolean() ? 100 : 100_000];
        random.nextBytes(bytes);
        try (FileWriter writer = client.create(move.from, CreateSpec.DEFAULT)) {
            writer.write(bytes, 0, bytes.length);
        }
        accident.happen(move);
        move.renamed.get(SECONDS_MAX, TimeUnit.SECONDS);
        assertArrayEquals(bytes, read(move.to), point);
        assertEquals(
                ErrorCode.NOT_FOUND,
                assertThrows(TatamiException.class, () -> client.status(move.from, true), point)
                        .code());
        awaitNothingPending(point);
        FsckReport report = client.cluster().fsck(TatamiPath.ROOT);
        assertEquals(List.of(), report.findings(), point);
        assertTrue(client.delete(move.to, false));
    }

    /** What a crash left is ended in the background. */
    private void awaitNothingPending(String point) throws Exception {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        List<Long> pending = new ArrayList<>();
        do {
            pending.clear();
            pending.add(state(SOURCE).getPendingTransactions());
            pending.add(state(DESTINATION).getPendingTransactions());
            if (pending.equals(List.of(0L, 0L))) {
                return;
            }
            Thread.sleep(20);
        } while (System.nanoTime() < giveUp);
        assertEquals(List.of(0L, 0L), pending, "moves pending after " + point);
    }

    private void steer(String file) throws IOException {
        Files.createFile(directory.resolve("steering").resolve(file));
    }

    private void awaitFile(String name) throws Exception {
        Path file = directory.resolve("steering").resolve(name);
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_MAX);
        while (!Files.exists(file)) {
            assertTrue(System.nanoTime() < giveUp, "the move never came to " + name);
            Thread.sleep(5);
        }
    }

    private byte[] read(TatamiPath file) throws IOException {
        try (FileReader reader = client.open(file, ReadPolicy.ADAPTIVE)) {
            ByteBuffer all = ByteBuffer.allocate((int) reader.lengthBytes());
            int length = 0;
            while (all.hasRemaining() && length >= 0) {
                length = reader.read(all);
            }
            return all.array();
        }
    }
}
