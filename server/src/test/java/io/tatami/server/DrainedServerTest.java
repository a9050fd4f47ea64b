package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileReader;
import io.tatami.client.file.FileWriter;
import io.tatami.client.file.ReadPolicy;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.CopiesStatusReply;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.Patience;
import io.tatami.server.node.StandaloneNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The drain of a block server, from its beginning until it is forgotten, beside a file that is being written there. */
final class DrainedServerTest {
    private static final TatamiPath CLOSED = TatamiPath.ROOT.listedChild("closed");
    private static final TatamiPath OPEN = TatamiPath.ROOT.listedChild("open");
    private static final int BYTES = 700_000;
    private static final long VOLUME_BYTES = 96L << 20;
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    @TempDir
    private Path directory;

    @Test
    void aDrainEndsWhenWhatIsWrittenThereHasEndedAndThenTheServerIsForgotten() throws Exception {
        Path table = Files.writeString(
                directory.resolve("table"), "localhost /one\n127.0.0.12 /two\n127.0.0.13 /two\n127.0.0.14 /three\n");
        try (StandaloneNode node = StandaloneNode.open(
                        new StandaloneNode.Setup(directory.resolve("node"), List.of(), VOLUME_BYTES, "localhost", 0, 2),
                        Settings.of(Map.of("net.topology.table.file.name", table.toString())),
                        user -> List.of());
                TatamiClient client = ClusterAddress.of(node.uri())
                        .connect(new Patience(Duration.ofMinutes(1), Duration.ofMinutes(2), System.err::println));
                BlockNode second = join(node, client, "127.0.0.12");
                BlockNode third = join(node, client, "127.0.0.13")) {
            Eventually.await(
                    PATIENCE,
                    () -> rack(client, second).equals("/two")
                            && rack(client, third).equals("/two"));
            byte[] content = new byte[BYTES];
            new Random(7).nextBytes(content);
            write(client, CLOSED, content);
            FileWriter open = client.create(OPEN, CreateSpec.DEFAULT.withReplication(3));
            open.write(content, 0, BYTES);
            open.hflush();
            String id = Integer.toString(third.id().value());

            assertTrue(CommandRun.run(ExitCode.DONE, "admin", "block", "drain", node.uri(), id)
                    .contains("draining"));
            Eventually.await(PATIENCE, () -> stuck(client, third).contains("no further server has room"));
            assertTrue(CommandRun.run(ExitCode.DONE, "admin", "block", "status", node.uri(), id)
                    .contains("it is being written"));
            CommandRun.run(ExitCode.USAGE, "admin", "block", "forget", node.uri(), id);

            try (BlockNode fourth = join(node, client, "127.0.0.14")) {
                Eventually.await(PATIENCE, () -> held(client, fourth) > 0 && held(client, third) == 0);
                assertEquals(BlockServerInfo.State.DRAINING, info(client, third).getState());
                open.close();
                Eventually.await(PATIENCE, () -> info(client, third).getDrained());
                assertEquals(0, held(client, third));
                assertTrue(CommandRun.run(ExitCode.DONE, "admin", "block", "status", node.uri())
                        .contains("drained"));
                CommandRun.run(ExitCode.USAGE, "admin", "block", "forget", node.uri(), id);
                stop(third);
                assertEquals(BlockServerInfo.State.STALE, info(client, third).getState());
                assertTrue(info(client, third).getToBeEmptied());
                CommandRun.run(ExitCode.DONE, "admin", "block", "forget", node.uri(), id);
                assertTrue(client.cluster().map().getBlockServerList().stream()
                        .noneMatch(info -> info.getServerId() == third.id().value()));
                assertArrayEquals(content, read(client, CLOSED));
                assertArrayEquals(content, read(client, OPEN));
            }
        }
    }

    @Test
    void aServerThatJoinsTakesBlocksOfNewFiles() throws Exception {
        try (StandaloneNode node = StandaloneNode.open(
                        new StandaloneNode.Setup(directory.resolve("node"), List.of(), VOLUME_BYTES, "localhost", 0, 2),
                        Settings.defaults(),
                        user -> List.of());
                TatamiClient client = ClusterAddress.of(node.uri())
                        .connect(new Patience(Duration.ofMinutes(1), Duration.ofMinutes(2), System.err::println))) {
            int file = 0;
            for (String host : List.of("127.0.0.12", "127.0.0.13", "127.0.0.14")) {
                try (BlockNode joined = join(node, client, host)) {
                    do {
                        write(client, TatamiPath.ROOT.listedChild("new-" + file++), new byte[BYTES]);
                    } while (held(client, joined) == 0);
                }
            }
        }
    }

    @Test
    void theBrakeIsReleasedForServersThatAreAwayUntilTheyAreBack() throws Exception {
        try (StandaloneNode node = StandaloneNode.open(
                        new StandaloneNode.Setup(directory.resolve("node"), List.of(), VOLUME_BYTES, "localhost", 0, 1),
                        Settings.defaults(),
                        user -> List.of());
                TatamiClient client = ClusterAddress.of(node.uri())
                        .connect(new Patience(Duration.ofMinutes(1), Duration.ofMinutes(2), System.err::println))) {
            BlockNode away = join(node, client, "127.0.0.12");
            String id = Integer.toString(away.id().value());
            assertTrue(CommandRun.run(ExitCode.DONE, "admin", "block", "release-brake", node.uri())
                    .startsWith("0 silent block servers"));
            assertTrue(CommandRun.run(ExitCode.USAGE, "admin", "block", "admit", node.uri(), id)
                    .contains("was heard of lately"));
            stop(away);
            assertTrue(CommandRun.run(ExitCode.DONE, "admin", "block", "release-brake", node.uri())
                    .startsWith("1 silent block servers"));
            try (BlockNode back = join(node, client, "127.0.0.12")) {
                assertEquals(away.id(), back.id());
                assertFalse(info(client, back).getBrakeReleased());
                assertTrue(CommandRun.run(ExitCode.DONE, "admin", "block", "status", node.uri(), id)
                        .contains("blocks there: 0"));
            }
        }
        assertTrue(CommandRun.run(
                        ExitCode.USAGE,
                        "start",
                        "block",
                        "--data",
                        "d",
                        "--volume",
                        "v",
                        "--metadata",
                        "tatami://localhost:1",
                        "--rack",
                        "no-path")
                .contains("is not a rack"));
    }

    private static void stop(BlockNode server) throws Exception {
        server.close();
    }

    private BlockNode join(StandaloneNode node, TatamiClient client, String host) throws Exception {
        return BlockNode.open(
                new BlockNode.Setup(directory.resolve(host), List.of(), VOLUME_BYTES, host, 0),
                client.clusterId(),
                ClusterAddress.of(node.uri()).sockets(),
                BlockServerSettings.from(Settings.of(Map.of("tatami.block.heartbeat", "200ms"))));
    }

    private static void write(TatamiClient client, TatamiPath path, byte[] content) throws Exception {
        try (FileWriter writer = client.create(path, CreateSpec.DEFAULT.withReplication(3))) {
            writer.write(content, 0, content.length);
        }
    }

    private static byte[] read(TatamiClient client, TatamiPath path) throws Exception {
        byte[] bytes = new byte[BYTES];
        try (FileReader reader = client.open(path, ReadPolicy.SEQUENTIAL)) {
            int done = 0;
            while (done < BYTES) {
                int count = reader.read(bytes, done, BYTES - done);
                assertTrue(count > 0, "the file ends too early");
                done += count;
            }
        }
        return bytes;
    }

    private static BlockServerInfo info(TatamiClient client, BlockNode server) throws Exception {
        return client.cluster().map().getBlockServerList().stream()
                .filter(info -> info.getServerId() == server.id().value())
                .findFirst()
                .orElseThrow();
    }

    private static String rack(TatamiClient client, BlockNode server) throws Exception {
        return info(client, server).getRack();
    }

    private static long held(TatamiClient client, BlockNode server) throws Exception {
        return client.cluster().copiesOn(server.id()).stream()
                .mapToLong(CopiesStatusReply::getHeldBlocks)
                .sum();
    }

    private static String stuck(TatamiClient client, BlockNode server) throws Exception {
        return client.cluster().copiesOn(server.id()).toString();
    }
}
