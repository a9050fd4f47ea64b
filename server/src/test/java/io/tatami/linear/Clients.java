package io.tatami.linear;

import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.WiredClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Makes clients of one cluster, each with connections, a session and cached handles of its own. */
final class Clients implements AutoCloseable {
    private static final UserIdentity USER = UserIdentity.of(System.getProperty("user.name"));

    private final List<InetSocketAddress> servers;
    private final Settings settings;
    private final RpcSettings rpc;
    private final EventLoops loops;
    private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);

    /** Clients of the metadata servers alone: all content is stored with the metadata. */
    Clients(List<InetSocketAddress> servers) throws TatamiException {
        this(servers, Map.of());
    }

    /** Clients whose content is in blocks, with so many copies. */
    static Clients withCopies(List<InetSocketAddress> servers, int copies) throws TatamiException {
        return new Clients(
                servers,
                Map.of("tatami.client.inline.max", "0", "tatami.client.replication", Integer.toString(copies)));
    }

    private Clients(List<InetSocketAddress> servers, Map<String, String> settings) throws TatamiException {
        this.servers = servers;
        this.settings = Settings.of(settings);
        this.rpc = RpcSettings.from(Settings.defaults());
        this.loops = new EventLoops("histories", rpc);
    }

    /** Real connections of a client, that {@code ways} act on. */
    RoughConnector connector(int client, Ways ways, long seed) {
        RpcClient real = new RpcClient(loops, rpc, Clock.SYSTEM, ClientIdentity.simple("history-" + client, USER));
        return new RoughConnector(real, client, ways, timer, seed);
    }

    /**
     * Connects.
     *
     * @param operationMillis how long each operation is tried
     */
    TatamiClient open(RoughConnector connector, long operationMillis) throws TatamiException {
        Settings times = Settings.of(Map.of(
                "tatami.client.connect.timeout", "60s",
                "tatami.client.operation.timeout", operationMillis + "ms",
                "tatami.client.attempt.timeout", "200ms"));
        return WiredClient.open(connector, servers, USER, times.orElse(settings));
    }

    @Override
    public void close() {
        timer.shutdownNow();
        loops.close();
    }
}
