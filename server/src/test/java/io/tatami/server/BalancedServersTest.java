package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import io.tatami.server.cli.TatamiServer;
import io.tatami.server.cli.option.ExitCode;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.Patience;
import io.tatami.server.node.StandaloneNode;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Copies move onto a block server that joins a cluster of three, over real servers. */
final class BalancedServersTest {
    private static final int FILES = 40;
    private static final int BYTES = 1 << 20;
    private static final long VOLUME_BYTES = 96L << 20;
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    @TempDir
    private Path directory;

    @Test
    void aNewServerIsFilledAcrossARestartAndEveryFileKeepsItsCopies() throws Exception {
        StandaloneNode.Setup setup =
                new StandaloneNode.Setup(directory.resolve("node"), List.of(), VOLUME_BYTES, "localhost", 0, 2);
        byte[] content = new byte[BYTES];
        new Random(7).nextBytes(content);
        try (StandaloneNode node = StandaloneNode.open(setup, Settings.defaults(), user -> List.of());
                TatamiClient client = connect(node);
                BlockNode second = join(node, client, "127.0.0.12");
                BlockNode third = join(node, client, "127.0.0.13")) {
            assertTrue(second.id().value() != third.id().value());
            for (int i = 0; i < FILES; i++) {
                try (FileWriter writer = client.create(file(i), CreateSpec.DEFAULT.withReplication(3))) {
                    writer.write(content, 0, BYTES);
                }
            }
            CommandRun.switchBalanceOff(node);
            BlockNode fourth = join(node, client, "127.0.0.14");
            CommandRun.run(ExitCode.DONE, "admin", "block", "balance", node.uri(), "on", "--threshold", "24");
            Eventually.await(PATIENCE, () -> used(client, fourth) > 3 * BYTES);
            fourth.close();
            try (BlockNode again = join(node, client, "127.0.0.14")) {
                assertEquals(fourth.id(), again.id());
                Eventually.await(PATIENCE, () -> difference(client) < 0.13);
                assertTrue(CommandRun.run(ExitCode.DONE, "admin", "block", "status", node.uri())
                        .contains("were moved"));
                Eventually.await(PATIENCE, () -> code("fsck", node.uri()) == ExitCode.DONE);
                for (int i = 0; i < FILES; i++) {
                    assertArrayEquals(content, read(client, file(i)));
                }
            }
        }
    }

    private static TatamiClient connect(StandaloneNode node) throws Exception {
        return ClusterAddress.of(node.uri())
                .connect(new Patience(Duration.ofMinutes(1), Duration.ofMinutes(2), System.err::println));
    }

    private static TatamiPath file(int number) {
        return TatamiPath.ROOT.listedChild("file-" + number);
    }

    private static double difference(TatamiClient client) throws Exception {
        double most = 0;
        double least = 1;
        for (BlockServerInfo info : client.cluster().map().getBlockServerList()) {
            double used = (double) info.getUsedBytes() / info.getCapacityBytes();
            most = Math.max(most, used);
            least = Math.min(least, used);
        }
        return most - least;
    }

    private static long used(TatamiClient client, BlockNode server) throws Exception {
        return client.cluster().map().getBlockServerList().stream()
                .filter(info -> info.getServerId() == server.id().value())
                .mapToLong(BlockServerInfo::getUsedBytes)
                .sum();
    }

    private BlockNode join(StandaloneNode node, TatamiClient client, String host) throws Exception {
        return BlockNode.open(
                new BlockNode.Setup(directory.resolve(host), List.of(), VOLUME_BYTES, host, 0),
                client.clusterId(),
                ClusterAddress.of(node.uri()).sockets(),
                BlockServerSettings.from(Settings.of(Map.of("tatami.block.heartbeat", "200ms"))));
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

    private static int code(String... words) {
        StringWriter out = new StringWriter();
        return TatamiServer.commandLine()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(out))
                .execute(words);
    }
}
