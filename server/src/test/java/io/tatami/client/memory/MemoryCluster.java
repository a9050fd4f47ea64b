package io.tatami.client.memory;

import com.google.protobuf.ByteString;
import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.WiredClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GroupLocation;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.server.RpcServer;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.rpc.netty.shared.ServerIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** One metadata server with all groups, and some block servers, each on a port of loopback, and their clients. */
public final class MemoryCluster implements AutoCloseable {
    private static final UUID CLUSTER = new UUID(3, 4);

    /** New blocks go to the first server while it is not excluded, as it has so much more room than the others. */
    private static final long ROOM_BYTES = 1L << 50;

    private static final long LITTLE_ROOM_BYTES = 8L << 20;

    public final MemoryMetadata metadata;
    public final List<FakeBlocks> blocks = new ArrayList<>();
    private final EventLoops loops;
    private final RpcSettings settings;
    private final List<RpcServer> servers = new ArrayList<>();
    private final List<ServerSocket> sockets = new ArrayList<>();
    private final List<TatamiClient> clients = new ArrayList<>();
    private final InetSocketAddress address;

    /** Changed by the test's thread, read by the groups'. */
    private volatile ClusterMap map = ClusterMap.getDefaultInstance();

    public MemoryCluster(int blockServers) throws TatamiException {
        settings = RpcSettings.from(Settings.defaults());
        loops = new EventLoops("memory", settings);
        metadata = new MemoryMetadata(() -> map, blocks, blockServers);
        address = serve(metadata.table());
        ByteBuffer id = ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(CLUSTER.getMostSignificantBits())
                .putLong(CLUSTER.getLeastSignificantBits());
        ClusterMap.Builder first = ClusterMap.newBuilder()
                .setEpoch(1)
                .setShards(MemoryMetadata.SHARDS)
                .setClusterId(ByteString.copyFrom(id.flip()));
        for (int group = -1; group < MemoryMetadata.SHARDS; group++) {
            first.addGroup(GroupLocation.newBuilder().setGroup(group).setLeader(endpoint(address)));
        }
        for (int server = 1; server <= blockServers; server++) {
            FakeBlocks fake = new FakeBlocks();
            blocks.add(fake);
            first.addBlockServer(BlockServerInfo.newBuilder()
                    .setServerId(server)
                    .setHost("node-" + server)
                    .setRack("/rack")
                    .setState(BlockServerInfo.State.ACTIVE)
                    .setCapacityBytes(ROOM_BYTES)
                    .setFreeBytes(server == 1 ? ROOM_BYTES : LITTLE_ROOM_BYTES)
                    .setData(endpoint(serve(fake.addTo(new HandlerTable())))));
        }
        map = first.build();
        metadata.start();
    }

    /** From now on, all block servers are known to have a cache tier. */
    public void giveCacheTiers() {
        ClusterMap.Builder changed = map.toBuilder();
        changed.getBlockServerBuilderList().forEach(server -> server.setHasCache(true));
        map = changed.build();
    }

    /** From now on, a group is led by a server that takes connections and never says a word. */
    public void hang(GroupId group) throws IOException {
        ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        sockets.add(silent);
        ClusterMap.Builder changed = map.toBuilder();
        changed.getGroupBuilder(group.value() + 1)
                .setLeader(endpoint((InetSocketAddress) silent.getLocalSocketAddress()));
        map = changed.build();
    }

    /** From now on, a block server is at an address that takes connections and never says a word. */
    public void hang(int blockServer) throws IOException {
        ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        sockets.add(silent);
        ClusterMap.Builder changed = map.toBuilder();
        changed.getBlockServerBuilder(blockServer)
                .setData(endpoint((InetSocketAddress) silent.getLocalSocketAddress()));
        map = changed.build();
    }

    /** @param more settings by key */
    public TatamiClient client(Map<String, String> more) throws TatamiException {
        Map<String, String> all = new HashMap<>(Map.of("tatami.client.operation.timeout", "10s"));
        all.putAll(more);
        TatamiClient client =
                TatamiClient.connect("127.0.0.1:" + address.getPort(), UserIdentity.of("anna"), Settings.of(all));
        clients.add(client);
        return client;
    }

    public TatamiClient client() throws TatamiException {
        return client(Map.of());
    }

    /** One whose time is the test's; its connections' is not. */
    public TatamiClient client(Clock clock) throws TatamiException {
        return client(clock, Map.of());
    }

    /** @param more settings by key */
    public TatamiClient client(Clock clock, Map<String, String> more) throws TatamiException {
        UserIdentity anna = UserIdentity.of("anna");
        RpcClient connector = new RpcClient(loops, settings, Clock.SYSTEM, ClientIdentity.simple("test", anna));
        TatamiClient client = WiredClient.open(connector, List.of(address), anna, Settings.of(more), clock);
        clients.add(client);
        return client;
    }

    /** Another user's, of whose requests the metadata server notes none. */
    public TatamiClient observer() throws TatamiException {
        TatamiClient client = TatamiClient.connect(
                "127.0.0.1:" + address.getPort(), UserIdentity.of(MemoryMetadata.OBSERVER), Settings.defaults());
        clients.add(client);
        return client;
    }

    private InetSocketAddress serve(HandlerTable handlers) throws TatamiException {
        RpcServer server =
                new RpcServer(loops, settings, Clock.SYSTEM, ServerIdentity.simple("memory", CLUSTER), handlers);
        servers.add(server);
        return (InetSocketAddress) server.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    private static void close(ServerSocket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Endpoint endpoint(InetSocketAddress at) {
        return Endpoint.newBuilder()
                .setHost(at.getAddress().getHostAddress())
                .setPort(at.getPort())
                .build();
    }

    @Override
    public void close() {
        clients.forEach(TatamiClient::close);
        servers.forEach(RpcServer::close);
        metadata.close();
        sockets.forEach(MemoryCluster::close);
        loops.close();
    }
}
