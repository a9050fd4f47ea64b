package io.tatami.rpc.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.Connection;
import io.tatami.rpc.EchoService;
import io.tatami.rpc.Futures;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.Lane;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.server.RpcServer;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.rpc.netty.shared.ServerIdentity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.UUID;

/** A server and a client in one process, on a port of loopback. Its end checks that no buffer leaked. */
public final class Rig implements AutoCloseable {
    public static final UUID CLUSTER = new UUID(1, 2);

    private final long allocationsBefore = allocations();
    public final EchoService service = new EchoService();
    final HandlerTable handlers = service.handlers();
    public final RpcSettings settings;
    public final Clock clock;
    final EventLoops loops;
    public final RpcServer server;
    public final RpcClient client;
    public final InetSocketAddress address;

    public Rig() throws TatamiException {
        this(Map.of(), true);
    }

    public Rig(Map<String, String> settings, Clock clock) throws TatamiException {
        this(settings, true, clock);
    }

    public Rig(Map<String, String> settings) throws TatamiException {
        this(settings, true);
    }

    public Rig(Map<String, String> values, boolean epoll) throws TatamiException {
        this(values, epoll, Clock.SYSTEM);
    }

    private Rig(Map<String, String> values, boolean epoll, Clock clock) throws TatamiException {
        this.clock = clock;
        settings = RpcSettings.from(Settings.of(values));
        loops = new EventLoops("test", settings, epoll && Epoll.isAvailable());
        server = new RpcServer(loops, settings, clock, ServerIdentity.simple("the test server", CLUSTER), handlers);
        address = (InetSocketAddress) server.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        client = client(ClientIdentity.simple("the test client", new UserIdentity("anna", "proxy")));
    }

    public RpcClient client(ClientIdentity identity) {
        return new RpcClient(loops, settings, clock, identity);
    }

    public Connection connect() throws Exception {
        return Futures.result(client.connect(address));
    }

    public Connection connect(Lane lane) throws Exception {
        return Futures.result(client.connect(address, lane));
    }

    @Override
    public void close() {
        service.answerParked("late");
        client.close();
        server.close();
        loops.close();
        assertEquals(allocationsBefore, allocations(), "buffers that nobody released");
    }

    /** Buffers taken from the pool; what the event loops keep for themselves goes back with their end. */
    private static long allocations() {
        return PooledByteBufAllocator.DEFAULT.metric().directArenas().stream()
                .mapToLong(PoolArenaMetric::numActiveAllocations)
                .sum();
    }
}
