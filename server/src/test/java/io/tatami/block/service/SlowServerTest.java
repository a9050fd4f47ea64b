package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.service.registration.IdentityFile;
import io.tatami.block.service.registration.RoutedMetadataLink;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.SimVolume;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.server.node.StandaloneNode;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two block servers with one volume each, and real metadata: neither has another volume to compare its own with. */
final class SlowServerTest {
    private static final BlockId BLOCK = new BlockId(1);
    private static final int LENGTH = 100_000;
    private static final int READS = 64;

    @TempDir
    private Path directory;

    private final ManualClock clock = new ManualClock();

    @Test
    void theOnlyVolumeOfAServerIsReportedWhenItIsTenTimesSlowerThanThatOfAnother() throws Exception {
        Settings settings = Settings.of(Map.of());
        RpcSettings rpc = RpcSettings.from(settings);
        try (StandaloneNode node = StandaloneNode.open(
                        new StandaloneNode.Setup(
                                directory.resolve("node"), List.of(), BlockRig.VOLUME_BYTES, "localhost", 0, 1),
                        settings,
                        user -> List.of());
                SimVolume fastVolume = volume(1, 4);
                SimVolume slowVolume = volume(2, 40);
                EventLoops loops = new EventLoops("test", rpc)) {
            URI uri = URI.create(node.uri());
            UserIdentity user = UserIdentity.of(System.getProperty("user.name"));
            UUID cluster;
            try (TatamiClient client = TatamiClient.connect(uri.getAuthority(), user, settings)) {
                cluster = client.clusterId();
            }
            InetSocketAddress metadata = new InetSocketAddress(uri.getHost(), uri.getPort());
            ClientIdentity identity =
                    ClientIdentity.simple("block server", user).of(cluster);
            try (RpcClient connector = new RpcClient(loops, rpc, Clock.SYSTEM, identity);
                    BlockServer fast = server(fastVolume, "fast", cluster, connector, metadata);
                    BlockServer slow = server(slowVolume, "slow", cluster, connector, metadata)) {
                read(fastVolume);
                read(slowVolume);

                BlockDamageTest.awaitTrue(() -> {
                    fast.reports().lookForSlowVolumes();
                    slow.reports().lookForSlowVolumes();
                    return slow.metrics().slowVolumes() == 1;
                });

                String slowness = slow.reports().status().getVolume(0).getSlowness();
                assertTrue(slowness.startsWith("small reads take 10.0 times as long"), slowness);
                assertEquals("", fast.reports().status().getVolume(0).getSlowness());
                assertEquals(0, fast.metrics().slowVolumes());
            }
        }
    }

    private SimVolume volume(long seed, long accessMillis) throws TatamiException {
        SimVolume sim = new SimVolume(8 << 20, seed, clock);
        BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, LENGTH, false);
        writer.append(ByteBuffer.allocate(LENGTH), null);
        writer.finish();
        sim.disk().takeTime(clock, Duration.ofMillis(accessMillis), Duration.ofMillis(5 * accessMillis));
        return sim;
    }

    private BlockServer server(
            SimVolume sim, String name, UUID cluster, RpcClient connector, InetSocketAddress metadata)
            throws Exception {
        VolumeSet volumes = new VolumeSet(List.of(new VolumeSet.ServedVolume(sim.volume(), name)));
        IdentityFile identity = new IdentityFile(Files.createDirectories(directory.resolve(name)), cluster);
        BlockServer server = new BlockServer(
                BlockRig.settings("tatami.block.heartbeat", "50ms"), volumes, null, identity, connector, Clock.SYSTEM);
        RegisterBlockServerRequest registration = RegisterBlockServerRequest.newBuilder()
                .setHost("localhost")
                .setData(Endpoint.newBuilder().setHost("localhost").setPort(1))
                .setRack("/default-rack")
                .addStorageType("DISK")
                .build();
        ServerId id = server.join(new RoutedMetadataLink(connector, List.of(metadata), 10_000), registration)
                .get(60, TimeUnit.SECONDS);
        assertTrue(id.value() > 0, name);
        return server;
    }

    private static void read(SimVolume sim) throws TatamiException {
        for (int i = 0; i < READS; i++) {
            byte[] bytes = SimVolume.readAll(sim.volume(), BLOCK);
            assertEquals(LENGTH, bytes.length);
        }
    }
}
