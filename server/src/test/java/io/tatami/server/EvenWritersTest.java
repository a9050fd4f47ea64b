package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.LocatedBlock;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.StandaloneNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writers that are open at once are spread over block servers, over real servers. */
final class EvenWritersTest {
    private static final int WRITERS = 16;
    private static final int BYTES = 256 << 10;
    private static final long BLOCK_BYTES = 1 << 20;
    private static final long VOLUME_BYTES = 256L << 20;

    /** However long the test takes, none of its writers is found at rest, which would not count. */
    private static final Map<String, String> RESTLESS =
            Map.of("tatami.block.heartbeat", "200ms", "tatami.block.park.after", "10m");

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @TempDir
    private Path directory;

    @Test
    void sixteenWritersAreFourOnEachOfFourServers() throws Exception {
        StandaloneNode.Setup setup =
                new StandaloneNode.Setup(directory.resolve("node"), List.of(), VOLUME_BYTES, "127.0.0.11", 0, 1);
        try (StandaloneNode node = StandaloneNode.open(setup, Settings.of(RESTLESS), user -> List.of());
                TatamiClient client = TatamiClient.connect(
                        ClusterAddress.of(node.uri()).authority(),
                        UserIdentity.of(System.getProperty("user.name")),
                        Settings.of(Map.of("tatami.client.host", "127.0.0.99")));
                BlockNode second = join(node, client, "127.0.0.12");
                BlockNode third = join(node, client, "127.0.0.13");
                BlockNode fourth = join(node, client, "127.0.0.14")) {
            List<BlockNode> joined = List.of(second, third, fourth);
            Eventually.await(
                    PATIENCE,
                    () -> client.cluster().map().getBlockServerList().stream()
                                    .filter(info -> info.getState() == BlockServerInfo.State.ACTIVE)
                                    .count()
                            == 1 + joined.size());
            List<FileWriter> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                FileWriter writer = client.create(
                        TatamiPath.ROOT.listedChild("file-" + i),
                        CreateSpec.DEFAULT.withReplication(1).withBlockSizeBytes(BLOCK_BYTES));
                writer.write(new byte[BYTES], 0, BYTES);
                writer.hflush();
                writers.add(writer);
            }
            Map<String, Integer> byServer = new TreeMap<>();
            for (int i = 0; i < WRITERS; i++) {
                List<LocatedBlock> blocks = client.blockLocations(TatamiPath.ROOT.listedChild("file-" + i), 0, BYTES);
                byServer.merge(blocks.get(0).holders().get(0).server().toString(), 1, Integer::sum);
            }
            assertEquals(List.of(4, 4, 4, 4), List.copyOf(byServer.values()), byServer.toString());
            for (FileWriter writer : writers) {
                writer.close();
            }
        }
    }

    private BlockNode join(StandaloneNode node, TatamiClient client, String host) throws Exception {
        return BlockNode.open(
                new BlockNode.Setup(directory.resolve(host), List.of(), VOLUME_BYTES, host, 0),
                client.clusterId(),
                ClusterAddress.of(node.uri()).sockets(),
                BlockServerSettings.from(Settings.of(RESTLESS)));
    }
}
