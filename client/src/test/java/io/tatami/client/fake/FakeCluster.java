package io.tatami.client.fake;

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
import io.tatami.rpc.netty.ClientIdentity;
import io.tatami.rpc.netty.EventLoops;
import io.tatami.rpc.netty.RpcClient;
import io.tatami.rpc.netty.RpcServer;
import io.tatami.rpc.netty.RpcSettings;
import io.tatami.rpc.netty.ServerIdentity;
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

/** One metadata server with all groups, and some block servers, each on a port of loopback. */
public final class FakeCluster implements AutoCloseable {
    private static final UUID CLUSTER = new UUID(3, 4);
    private static final int SHARDS = 4;

    public final FakeMetadata metadata = new FakeMetadata(this::map);
    public final List<FakeBlocks> blocks = new ArrayList<>();
    private final EventLoops loops;
    private final RpcSettings settings;
    private final List<RpcServer> servers = new ArrayList<>();
    private final List<ServerSocket> sockets = new ArrayList<>();
    private final List<TatamiClient> clients = new ArrayList<>();
    private final ClusterMap.Builder map;
    private final InetSocketAddress address;

    public FakeCluster(int blockServers) throws TatamiException {
        settings = RpcSettings.from(Settings.defaults());
        loops = new EventLoops("fake", settings);
        address = serve(metadata.addTo(new HandlerTable()));
        ByteBuffer id = ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(CLUSTER.getMostSignificantBits())
                .putLong(CLUSTER.getLeastSignificantBits());
        map = ClusterMap.newBuilder().setEpoch(1).setShards(SHARDS).setClusterId(ByteString.copyFrom(id.flip()));
        for (int group = -1; group < SHARDS; group++) {
            map.addGroup(GroupLocation.newBuilder().setGroup(group).setLeader(endpoint(address)));
        }
        for (int server = 1; server <= blockServers; server++) {
            FakeBlocks fake = new FakeBlocks();
            blocks.add(fake);
            map.addBlockServer(BlockServerInfo.newBuilder()
                    .setServerId(server)
                    .setHost("node-" + server)
                    .setRack("/rack")
                    .setState(BlockServerInfo.State.ACTIVE)
                    .setData(endpoint(serve(fake.addTo(new HandlerTable())))));
        }
    }

    /** From now on, all block servers are known to have a cache tier. */
    public void giveCacheTiers() {
        map.getBlockServerBuilderList().forEach(server -> server.setHasCache(true));
    }

    /** From now on, a group is led by a server that takes connections and never says a word. */
    public void hang(GroupId group) throws IOException {
        ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        sockets.add(silent);
        map.getGroupBuilder(group.value() + 1).setLeader(endpoint((InetSocketAddress) silent.getLocalSocketAddress()));
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
        UserIdentity anna = UserIdentity.of("anna");
        RpcClient connector = new RpcClient(loops, settings, Clock.SYSTEM, ClientIdentity.simple("test", anna));
        TatamiClient client = WiredClient.open(connector, List.of(address), anna, Settings.defaults(), clock);
        clients.add(client);
        return client;
    }

    private ClusterMap map() {
        return map.build();
    }

    private InetSocketAddress serve(HandlerTable handlers) throws TatamiException {
        RpcServer server =
                new RpcServer(loops, settings, Clock.SYSTEM, ServerIdentity.simple("fake", CLUSTER), handlers);
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
        sockets.forEach(FakeCluster::close);
        loops.close();
    }
}
