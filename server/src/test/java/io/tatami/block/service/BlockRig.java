package io.tatami.block.service;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.base.Generation;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.device.VolumeFile;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.registration.IdentityFile;
import io.tatami.block.service.volumes.VolumePlaces;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeOpener;
import io.tatami.block.volume.VolumeResources;
import io.tatami.block.volume.format.VolumeFormatter;
import io.tatami.client.block.BlockClient;
import io.tatami.client.block.BlockClientSettings;
import io.tatami.client.block.BlockReadStream;
import io.tatami.client.block.BlockTarget;
import io.tatami.client.block.BlockWriteStream;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.server.RpcServer;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.rpc.netty.shared.ServerIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Block servers with real volumes on files and real sockets on loopback, and a client, in one process. */
public final class BlockRig implements AutoCloseable {
    public static final UUID CLUSTER = new UUID(7, 9);
    /** As metadata servers ask the servers of a rig, which have joined no cluster. */
    public static final CallOptions AS_METADATA =
            CallOptions.DEFAULT.withCredential(ByteString.copyFromUtf8("of the rig's metadata servers"));

    public static final long VOLUME_BYTES = 64L << 20;

    private final Path directory;
    private final long volumeBytes;
    private final IntFunction<List<Volume>> others;
    private final RpcSettings rpcSettings;
    private final EventLoops loops;
    private final RpcClient connector;
    private final List<Server> servers = new ArrayList<>();
    public final BlockClient client;

    public BlockRig(Path directory, int count, BlockServerSettings settings) throws IOException {
        this(directory, count, settings, VOLUME_BYTES);
    }

    public BlockRig(Path directory, int count, BlockServerSettings settings, long volumeBytes) throws IOException {
        this(directory, count, settings, volumeBytes, List.of());
    }

    /** @param others volumes that each server has beside its own; the caller's to close, after this */
    public BlockRig(Path directory, int count, BlockServerSettings settings, long volumeBytes, List<Volume> others)
            throws IOException {
        this(directory, count, settings, volumeBytes, number -> others);
    }

    /** @param others the volumes beside its own of the server with a number, the first of which is 1 */
    public BlockRig(
            Path directory, int count, BlockServerSettings settings, long volumeBytes, IntFunction<List<Volume>> others)
            throws IOException {
        this.directory = directory;
        this.volumeBytes = volumeBytes;
        this.others = others;
        rpcSettings = RpcSettings.from(Settings.of(Map.of()));
        loops = new EventLoops("rig", rpcSettings);
        connector = newClient("rig");
        client = new BlockClient(connector, BlockClientSettings.DEFAULT.withTimeoutMillis(20_000));
        for (int number = 1; number <= count; number++) {
            servers.add(new Server(number, settings));
        }
    }

    static BlockRig single(Path directory) throws IOException {
        return new BlockRig(directory, 1, settings());
    }

    public static BlockServerSettings settings() throws TatamiException {
        return BlockServerSettings.from(Settings.of(Map.of()));
    }

    /** The defaults with one setting changed. */
    public static BlockServerSettings settings(String key, String value) throws TatamiException {
        return BlockServerSettings.from(Settings.of(Map.of(key, value)));
    }

    /** A server of the rig; the first is 0. */
    public Server server(int index) {
        return servers.get(index);
    }

    public BlockTarget target(int index) {
        return servers.get(index).running().target();
    }

    public List<BlockTarget> chain() {
        return servers.stream().map(server -> server.running().target()).toList();
    }

    public Connection connect(int index) throws Exception {
        return connector.connect(target(index).address()).get(20, TimeUnit.SECONDS);
    }

    /** A client of the same connections whose bytes all pass through them. */
    BlockClient clientWithoutMemory() {
        return new BlockClient(connector, client.settings().withSharedMemory(false));
    }

    /** A block of the tests' only shard. */
    public static BlockId block(int number) {
        return BlockId.of(3, 0, number);
    }

    public static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    /** All that can be read of a block from {@code offset} on, up to {@code length} bytes. */
    public byte[] read(int server, BlockId block, long offset, int length) throws TatamiException {
        byte[] bytes = new byte[length];
        int total = 0;
        try (BlockReadStream stream = client.openReader(target(server), block, Generation.NONE, offset, length)) {
            int count = 0;
            while (count >= 0 && total < length) {
                total += count;
                count = stream.read(bytes, total, length - total);
            }
            total += Math.max(0, count);
        }
        return Arrays.copyOf(bytes, total);
    }

    public static void write(BlockWriteStream stream, byte[] bytes) throws TatamiException {
        stream.write(bytes, 0, bytes.length);
    }

    /** Closes the client's connections; the next use makes new ones. */
    void disconnect() throws Exception {
        connect(0).close();
        for (int lane = 0; lane < BlockClientSettings.DEFAULT.lanes(); lane++) {
            client.bulkConnection(target(0)).close();
        }
    }

    private RpcClient newClient(String name) {
        return new RpcClient(loops, rpcSettings, Clock.SYSTEM, ClientIdentity.simple(name, UserIdentity.of("anna")));
    }

    @Override
    public void close() throws IOException {
        connector.close();
        for (Server server : servers) {
            server.stop();
        }
        loops.close();
    }

    /** One block server. */
    public final class Server {
        private final BlockServerSettings settings;
        private final int number;
        private final Path home;
        private final Path index;
        final Path volumeFile;

        /** Volumes that it finds it cannot open when it starts again. */
        public List<VolumeSet.FailedVolume> missing = List.of();

        /** What opens and closes its volumes while it runs, from its next start on. */
        @Nullable
        VolumePlaces places;

        private @Nullable Running running;

        Server(int number, BlockServerSettings settings) throws IOException {
            this.number = number;
            this.settings = settings;
            home = Files.createDirectories(directory.resolve("server-" + number));
            volumeFile = home.resolve("volume");
            index = home.resolve("index");
            VolumeFile.Allocation unused = VolumeFile.create(volumeFile, volumeBytes);
            UUID volume = new VolumeFormatter(CLUSTER, new SplittableRandom(number)).format(volumeFile, index, false);
            Check.check(volume.version() >= 0, "volume %s", volume);
            new IdentityFile(home, CLUSTER).write(IdentityFile.Identity.notStarted(new ServerId(number)));
            start();
        }

        public Running running() {
            if (running == null) {
                throw new IllegalStateException("server " + number + " does not run");
            }
            return running;
        }

        public void start() throws IOException {
            VolumeResources resources = VolumeResources.withBuffers(12, 12);
            Volume volume = new VolumeOpener(CLUSTER, resources).open(volumeFile, index);
            RpcClient outwards = newClient("server-" + number);
            List<VolumeSet.ServedVolume> served = new ArrayList<>();
            served.add(new VolumeSet.ServedVolume(volume, volumeFile.toString()));
            others.apply(number).forEach(other -> served.add(new VolumeSet.ServedVolume(other, "another volume")));
            BlockServer server = new BlockServer(
                    settings,
                    new VolumeSet(served, missing, Set.of()),
                    null,
                    new IdentityFile(home, CLUSTER),
                    outwards,
                    Clock.SYSTEM,
                    places);
            server.credential().learn(AS_METADATA.credential());
            RpcServer rpc = new RpcServer(
                    loops,
                    rpcSettings,
                    Clock.SYSTEM,
                    ServerIdentity.simple("server-" + number, CLUSTER),
                    server.handlers());
            InetSocketAddress address =
                    (InetSocketAddress) rpc.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            BlockTarget target = new BlockTarget(new ServerId(number), address.getHostString(), address.getPort());
            running = new Running(server, rpc, outwards, volume, resources, target);
        }

        /** Stops the server in an orderly way. */
        public void stop() throws IOException {
            if (running != null) {
                running.server().close();
                running.rpc().close();
                running.outwards().close();
                running.volume().close();
                running = null;
            }
        }

        /** As a boot of the host does with what was flushed and not synced; while it does not run. */
        void forgetFlushed() throws IOException {
            Files.delete(index.resolveSibling("flushed-" + index.getFileName()));
        }

        /** As if its power had failed for a moment. */
        void restart() throws IOException {
            stop();
            start();
        }
    }

    /** What a server consists of while it runs. */
    public record Running(
            BlockServer server,
            RpcServer rpc,
            RpcClient outwards,
            Volume volume,
            VolumeResources resources,
            BlockTarget target) {}
}
