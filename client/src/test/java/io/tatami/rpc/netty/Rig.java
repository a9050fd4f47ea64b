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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.UUID;

/** A server and a client in one process, on a port of loopback. Its end checks that no buffer leaked. */
final class Rig implements AutoCloseable {
    static final UUID CLUSTER = new UUID(1, 2);

    private final long allocationsBefore = allocations();
    final EchoService service = new EchoService();
    final HandlerTable handlers = service.handlers();
    final RpcSettings settings;
    final Clock clock;
    final EventLoops loops;
    final RpcServer server;
    final RpcClient client;
    final InetSocketAddress address;

    Rig() throws TatamiException {
        this(Map.of(), true);
    }

    Rig(Map<String, String> settings, Clock clock) throws TatamiException {
        this(settings, true, clock);
    }

    Rig(Map<String, String> settings) throws TatamiException {
        this(settings, true);
    }

    Rig(Map<String, String> values, boolean epoll) throws TatamiException {
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

    RpcClient client(ClientIdentity identity) {
        return new RpcClient(loops, settings, clock, identity);
    }

    Connection connect() throws Exception {
        return Futures.result(client.connect(address));
    }

    Connection connect(Lane lane) throws Exception {
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
