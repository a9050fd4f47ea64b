package io.tatami.rpc.netty.client;

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
import io.tatami.base.SystemErrorText;
import io.tatami.base.TatamiException;
import io.tatami.rpc.Connection;
import io.tatami.rpc.Connector;
import io.tatami.rpc.Lane;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.FrameDecoder;
import io.tatami.rpc.netty.shared.LocalSocket;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections over sockets: one for each address and lane. A connection is closed after {@link RpcSettings#idleMax}
 * without use. An unresolved host name is looked up at each connect. Safe for use by many threads.
 */
public final class RpcClient implements Connector {
    private static final Logger LOG = LoggerFactory.getLogger(RpcClient.class);

    private final LoopShare share;
    private final RpcSettings settings;
    private final Clock clock;
    private final ClientIdentity identity;
    private final Map<LaneAddress, CompletableFuture<ClientConnection>> connections = new ConcurrentHashMap<>();

    /** All channels, those being opened included. A channel that is added after the close is closed. */
    private final ChannelGroup channels = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);

    /** Not null while a connection is open or being opened; guarded by this object's lock. */
    private @Nullable EventLoops loops;

    /** The number of connections that are open or being opened; guarded by this object's lock. */
    private int users;

    private volatile boolean closed;

    private record LaneAddress(SocketAddress address, Lane lane) {}

    /** @param loops closed by the caller, after this client */
    public RpcClient(EventLoops loops, RpcSettings settings, Clock clock, ClientIdentity identity) {
        this(LoopShare.of(loops), settings, clock, identity);
    }

    private RpcClient(LoopShare share, RpcSettings settings, Clock clock, ClientIdentity identity) {
        this.share = share;
        this.settings = settings;
        this.clock = clock;
        this.identity = identity;
    }

    /** A client on threads that all such clients of this process share. The threads end with the last connection. */
    public static RpcClient onSharedLoops(RpcSettings settings, Clock clock, ClientIdentity identity) {
        return new RpcClient(new SharedLoops(settings), settings, clock, identity);
    }

    @Override
    public CompletableFuture<Connection> connect(SocketAddress address, Lane lane) {
        if (closed) {
            return CompletableFuture.failedFuture(new TatamiException(ErrorCode.UNAVAILABLE, "the client is closed"));
        }
        LaneAddress laneAddress = new LaneAddress(address, lane);
        CompletableFuture<ClientConnection> known = connections.get(laneAddress);
        if (known != null && isUsable(known)) {
            return known.thenApply(connection -> connection);
        }
        CompletableFuture<ClientConnection> fresh = new CompletableFuture<>();
        CompletableFuture<ClientConnection> current = connections.compute(
                laneAddress, (key, present) -> present == null || !isUsable(present) ? fresh : present);
        if (current == fresh) {
            open(laneAddress, fresh);
        }
        return current.thenApply(connection -> connection);
    }

    @Override
    public void close() {
        closed = true;
        ChannelGroupFuture unused = channels.close();
        for (CompletableFuture<ClientConnection> connection : connections.values()) {
            connection
                    .thenAccept(Connection::close)
                    .exceptionally(failure -> null)
                    .join();
        }
        connections.clear();
        boolean isHeld;
        synchronized (this) {
            isHeld = loops != null;
            loops = null;
        }
        if (isHeld) {
            share.giveBack();
        }
    }

    /**
     * Takes the event loops; to be followed by {@link #endUse}.
     *
     * @throws TatamiException if this is closed
     */
    private synchronized EventLoops beginUse() throws TatamiException {
        if (closed) {
            throw new TatamiException(ErrorCode.UNAVAILABLE, "the client is closed");
        }
        EventLoops taken = loops == null ? share.take() : loops;
        loops = taken;
        users++;
        return taken;
    }

    private void endUse() {
        boolean isLast;
        synchronized (this) {
            users--;
            isLast = users == 0 && loops != null && !closed;
            if (isLast) {
                loops = null;
            }
        }
        if (isLast) {
            share.giveBack();
        }
    }

    /** Whether the connection is open or being opened, and not about to be closed. */
    private static boolean isUsable(CompletableFuture<ClientConnection> future) {
        return !future.isCompletedExceptionally()
                && (!future.isDone() || future.join().use());
    }

    private void open(LaneAddress laneAddress, CompletableFuture<ClientConnection> fresh) {
        EventLoops on;
        try {
            on = beginUse();
        } catch (TatamiException e) {
            connections.remove(laneAddress, fresh);
            fresh.completeExceptionally(e);
            return;
        }
        CompletableFuture<ClientConnection> attempt =
                HostLookup.resolved(laneAddress.address).thenCompose(address -> dial(on, address));
        CompletableFuture<ClientConnection> unused = attempt.whenComplete((connection, failure) -> {
            if (connection == null) {
                connections.remove(laneAddress, fresh);
                endUse();
                fresh.completeExceptionally(failure.getCause() == null ? failure : failure.getCause());
                return;
            }
            CompletableFuture<Void> unusedEnd = connection.closed().thenRun(() -> {
                connections.remove(laneAddress, fresh);
                endUse();
            });
            if (closed) {
                connection.close();
            }
            fresh.complete(connection);
        });
    }

    private CompletableFuture<ClientConnection> dial(EventLoops on, SocketAddress address) {
        return dial(on, new Target(address, address, on.socketFactory(), EventLoops.tcpOptions()))
                .thenCompose(connection -> nearer(on, address, connection));
    }

    /** The connection, or one over the server's Unix-domain socket if the server is on this host. */
    private CompletableFuture<ClientConnection> nearer(
            EventLoops on, SocketAddress address, ClientConnection connection) {
        String name = connection.localSocket();
        if (!on.local() || name.isEmpty()) {
            return CompletableFuture.completedFuture(connection);
        }
        return dial(on, new Target(address, LocalSocket.address(name), on.localFactory(), Map.of()))
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
    private record Target(
            SocketAddress server,
            SocketAddress address,
            ChannelFactory<? extends Channel> factory,
            Map<ChannelOption<?>, Object> options) {}

    private CompletableFuture<ClientConnection> dial(EventLoops on, Target target) {
        SocketAddress server = target.server();
        FrameDecoder decoder = new FrameDecoder(settings.frameBytesMax(), clock);
        int directMax = on.epoll() ? settings.directConnectionsMax() : 0;
        ClientHandler handler =
                new ClientHandler(new ConnectTarget(server, target.address(), identity, settings, clock, directMax));
        Bootstrap bootstrap = new Bootstrap()
                .group(on.group())
                .channelFactory(target.factory())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                        settings.handshakeTimeout().toMillis())
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channels.add(channel);
                        channel.config().setOptions(EventLoops.socketOptions(settings));
                        channel.config().setOptions(target.options());
                        channel.pipeline().addLast(decoder, handler);
                    }
                });
        ChannelFuture attempt = bootstrap.connect(target.address());
        attempt.addListener(done -> {
            if (!done.isSuccess()) {
                handler.ready()
                        .completeExceptionally(new TatamiException(
                                ErrorCode.UNAVAILABLE,
                                "cannot connect to " + text(server) + ": " + SystemErrorText.ofConnection(done.cause()),
                                done.cause()));
            }
        });
        return handler.ready();
    }

    private static String text(SocketAddress server) {
        return server instanceof InetSocketAddress address
                ? address.getHostString() + ":" + address.getPort()
                : server.toString();
    }
}
