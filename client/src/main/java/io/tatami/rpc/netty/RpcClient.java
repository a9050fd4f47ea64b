package io.tatami.rpc.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.rpc.Connection;
import io.tatami.rpc.Connector;
import io.tatami.rpc.Lane;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connections over sockets, kept per address and lane. A host name that is not resolved yet is looked up each time. */
public final class RpcClient implements Connector {
    private static final Logger LOG = LoggerFactory.getLogger(RpcClient.class);

    private final EventLoops loops;
    private final RpcSettings settings;
    private final Clock clock;
    private final ClientIdentity identity;
    private final Map<Place, CompletableFuture<Connection>> connections = new ConcurrentHashMap<>();

    /** Those that are being opened, too; what is added after it was closed is closed. */
    private final ChannelGroup channels = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);

    private volatile boolean closed;

    private record Place(SocketAddress address, Lane lane) {}

    /** @param loops stays the caller's, who closes it after this client */
    public RpcClient(EventLoops loops, RpcSettings settings, Clock clock, ClientIdentity identity) {
        this.loops = loops;
        this.settings = settings;
        this.clock = clock;
        this.identity = identity;
    }

    @Override
    public CompletableFuture<Connection> connect(SocketAddress address, Lane lane) {
        if (closed) {
            return CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, "the client is closed"));
        }
        Place place = new Place(address, lane);
        CompletableFuture<Connection> known = connections.get(place);
        if (known != null && !isDead(known)) {
            return known.copy();
        }
        CompletableFuture<Connection> fresh = new CompletableFuture<>();
        CompletableFuture<Connection> current =
                connections.compute(place, (key, present) -> present == null || isDead(present) ? fresh : present);
        if (current == fresh) {
            open(place, fresh);
        }
        return current.copy();
    }

    @Override
    public void close() {
        closed = true;
        ChannelGroupFuture unused = channels.close();
        for (CompletableFuture<Connection> connection : connections.values()) {
            connection
                    .thenAccept(Connection::close)
                    .exceptionally(failure -> null)
                    .join();
        }
        connections.clear();
    }

    private static boolean isDead(CompletableFuture<Connection> future) {
        return future.isCompletedExceptionally()
                || (future.isDone() && !future.join().isOpen());
    }

    private void open(Place place, CompletableFuture<Connection> fresh) {
        CompletableFuture<Connection> attempt = resolved(place.address).thenCompose(this::dial);
        CompletableFuture<Connection> unused = attempt.whenComplete((connection, failure) -> {
            if (connection == null) {
                connections.remove(place, fresh);
                fresh.completeExceptionally(failure.getCause() == null ? failure : failure.getCause());
                return;
            }
            CompletableFuture<Void> unusedEnd = connection.closed().thenRun(() -> connections.remove(place, fresh));
            if (closed) {
                connection.close();
            }
            fresh.complete(connection);
        });
    }

    /** Looks a name up on another thread, because that may block. */
    private static CompletableFuture<SocketAddress> resolved(SocketAddress address) {
        if (address instanceof InetSocketAddress inet && inet.isUnresolved()) {
            return CompletableFuture.supplyAsync(() -> new InetSocketAddress(inet.getHostString(), inet.getPort()));
        }
        return CompletableFuture.completedFuture(address);
    }

    private CompletableFuture<Connection> dial(SocketAddress address) {
        return dial(address, address, loops.socketFactory(), EventLoops.tcpOptions())
                .thenCompose(connection -> nearer(address, connection));
    }

    /** The connection, or another one to the same server that costs less. */
    private CompletableFuture<Connection> nearer(SocketAddress address, ClientConnection connection) {
        String name = connection.localSocket();
        if (!loops.local() || name.isEmpty()) {
            return CompletableFuture.completedFuture(connection);
        }
        return dial(address, LocalSocket.address(name), loops.localFactory(), Map.of())
                .handle((local, failure) -> {
                    if (local == null || !local.clusterId().equals(connection.clusterId())) {
                        LOG.debug("{} is talked to by TCP, though it offers a local socket", address, failure);
                        return connection;
                    }
                    connection.close();
                    return local;
                });
    }

    /** @param server what the connection is to, in the words of who asked for it */
    private CompletableFuture<ClientConnection> dial(
            SocketAddress server,
            SocketAddress address,
            ChannelFactory<? extends Channel> factory,
            Map<ChannelOption<?>, Object> options) {
        FrameDecoder decoder = new FrameDecoder(settings.frameBytesMax(), clock);
        int directMax = loops.epoll() ? settings.directConnectionsMax() : 0;
        ClientHandler handler =
                new ClientHandler(new Dial(server, address, identity, settings, clock, directMax), decoder);
        Bootstrap bootstrap = new Bootstrap()
                .group(loops.group())
                .channelFactory(factory)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        settings.handshakeTimeout().toMillis())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channels.add(channel);
                        channel.config().setOptions(EventLoops.socketOptions(settings));
                        channel.config().setOptions(options);
                        channel.pipeline().addLast(decoder, handler);
                    }
                });
        ChannelFuture attempt = bootstrap.connect(address);
        attempt.addListener(done -> {
            if (!done.isSuccess()) {
                handler.ready()
                        .completeExceptionally(new TatamiException(
                                ErrorCode.UNAVAILABLE, "cannot connect to " + server, done.cause()));
            }
        });
        return handler.ready();
    }
}
