package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.client.TatamiClient;
import io.tatami.client.file.FileWriter;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.BlockHealthCounts;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.VolumeStatus;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.ClusterAddress;
import io.tatami.server.node.StandaloneNode;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A block server that comes back with a new disk, as a new server in the old one's place. */
final class ReplacedDiskTest {
    private static final String HOST = "127.0.0.12";
    private static final long VOLUME_BYTES = 64L << 20;

    @TempDir
    private Path directory;

    @Test
    void copiesOfAServerWhoseDiskWasReplacedCountAsGoodNoMoreOnceItsSuccessorIsThere() throws Exception {
        try (StandaloneNode node = openNode();
                TatamiClient client = connect(node, Settings.of(Map.of("tatami.client.host", HOST)))) {
            CommandRun.switchBalanceOff(node);
            BlockNode former = join(node, client, "former", 0);
            int files = 0;
            while (blocks(client, former) == 0) {
                write(client, "/file-" + files++);
            }
            assertEquals(files, health(client).getHealthy());
            former.close();

            try (BlockNode successor =
                    join(node, client, "successor", former.address().getPort())) {
                assertNotEquals(former.id(), successor.id());
                assertEquals(BlockServerInfo.State.DEAD, state(client, former));
                assertEquals(files - 1, health(client).getHealthy());
                assertEquals(1, health(client).getUnknown());
            }

            try (BlockNode back = join(node, client, "former", 0)) {
                assertEquals(former.id(), back.id());
                assertEquals(BlockServerInfo.State.ACTIVE, state(client, back));
                assertEquals(files, health(client).getHealthy());
            }
        }
    }

    /** Elsewhere, with the directory of the former server and other volumes. */
    @Test
    void theDirectoryOfTheFormerServerTellsToo() throws Exception {
        try (StandaloneNode node = openNode();
                TatamiClient client = connect(node, Settings.defaults())) {
            BlockNode former = join(node, client, "former", 0);
            former.close();
            Files.createDirectories(directory.resolve("other"));
            Files.copy(directory.resolve("former/block-server.id"), directory.resolve("other/block-server.id"));
            try (BlockNode successor = join(node, client, "other", 0)) {
                assertNotEquals(former.id(), successor.id());
                assertEquals(BlockServerInfo.State.DEAD, state(client, former));
            }
        }
    }

    private StandaloneNode openNode() throws Exception {
        return StandaloneNode.open(
                new StandaloneNode.Setup(directory.resolve("node"), List.of(), VOLUME_BYTES, "localhost", 0, 1),
                Settings.defaults(),
                user -> List.of());
    }

    private static TatamiClient connect(StandaloneNode node, Settings settings) throws Exception {
        return TatamiClient.connect(
                URI.create(node.uri()).getAuthority(), UserIdentity.of(System.getProperty("user.name")), settings);
    }

    /** One copy, on this server once its room is known. */
    private static void write(TatamiClient client, String path) throws Exception {
        try (FileWriter writer = client.create(TatamiPath.of(path), CreateSpec.DEFAULT.withReplication(1))) {
            writer.write(new byte[500_000], 0, 500_000);
        }
    }

    private static long blocks(TatamiClient client, BlockNode server) throws Exception {
        return client.cluster().blockServerStatus(info(client, server), 10_000).getVolumeList().stream()
                .mapToLong(VolumeStatus::getBlocks)
                .sum();
    }

    private static BlockHealthCounts health(TatamiClient client) throws Exception {
        return client.cluster().fsck(TatamiPath.ROOT).health();
    }

    private static BlockServerInfo.State state(TatamiClient client, BlockNode server) throws Exception {
        return info(client, server).getState();
    }

    private static BlockServerInfo info(TatamiClient client, BlockNode server) throws Exception {
        return client.cluster().map().getBlockServerList().stream()
                .filter(info -> info.getServerId() == server.id().value())
                .findFirst()
                .orElseThrow();
    }

    private BlockNode join(StandaloneNode node, TatamiClient client, String name, int port) throws Exception {
        return BlockNode.open(
                new BlockNode.Setup(directory.resolve(name), List.of(), VOLUME_BYTES, HOST, port),
                client.clusterId(),
                ClusterAddress.of(node.uri()).sockets(),
                BlockServerSettings.from(Settings.of(Map.of("tatami.block.heartbeat", "200ms"))));
    }
}
