package io.tatami.rpc.netty.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ServerChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.rpc.GroupThread;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.netty.shared.CallContexts;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.FrameDecoder;
import io.tatami.rpc.netty.shared.LocalSocket;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.rpc.netty.shared.ServerIdentity;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the methods of a {@link HandlerTable} on one TCP address and, for clients of the same host, on a Unix-domain
 * socket. Started and closed by one thread.
 */
public final class RpcServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RpcServer.class);
    private static final int BACKLOG = 1024;
    private static final long DRAIN_TIMEOUT_MILLIS = 5_000;
    private static final long CLOSE_TIMEOUT_MILLIS = 1_000;

    private final EventLoops loops;
    private final RpcSettings settings;
    private final Clock clock;
    private final ServerIdentity identity;
    private final HandlerTable handlers;
    private final SlowRequests slow;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private @Nullable Channel listening;
    private @Nullable Channel listeningLocally;

    /**
     * @param loops closed by the caller, after this server
     * @param handlers complete; must not change from now on
     */
    public RpcServer(
            EventLoops loops, RpcSettings settings, Clock clock, ServerIdentity identity, HandlerTable handlers) {
        this.loops = loops;
        this.settings = settings;
        this.clock = clock;
        this.identity = identity;
        this.handlers = handlers;
        this.slow = new SlowRequests(settings.slowCall().toNanos());
    }

    /**
     * Begins to listen.
     *
     * @param address port 0 for any free port
     * @return the address with its port
     * @throws TatamiException IN_USE if the address cannot be listened on
     */
    public SocketAddress start(SocketAddress address) throws TatamiException {
        Check.check(listening == null, "%s is started twice", identity.name());
        String localSocket = loops.local() ? listenLocally() : "";
        ChannelFuture bound = bootstrap(loops.serverFactory(), channel -> {
                    channel.config().setOptions(EventLoops.tcpOptions());
                    accept(channel, CallContexts.isSameHost(channel) ? localSocket : "");
                })
                .option(ChannelOption.SO_REUSEADDR, true)
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            closeLocal();
            if (address instanceof InetSocketAddress inet && inet.isUnresolved()) {
                throw new TatamiException(
                        ErrorCode.INVALID_ARGUMENT,
                        identity.name() + " cannot listen on " + inet.getHostString()
                                + ": the host name cannot be resolved; choose a name that DNS or /etc/hosts knows",
                        bound.cause());
            }
            throw new TatamiException(
                    ErrorCode.IN_USE,
                    identity.name() + " cannot listen on " + address + " ("
                            + bound.cause().getMessage()
                            + "); stop the process that listens there, or choose another host or port",
                    bound.cause());
        }
        listening = bound.channel();
        return listening.localAddress();
    }

    /** The name of the Unix-domain socket for clients on this host; empty if there is none, so they use TCP. */
    private String listenLocally() {
        String name = LocalSocket.newName();
        ChannelFuture bound = bootstrap(loops.localServerFactory(), channel -> accept(channel, ""))
                .bind(LocalSocket.address(name))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            LOG.warn("{} has no local socket, clients on this host use TCP", identity.name(), bound.cause());
            return "";
        }
        listeningLocally = bound.channel();
        return name;
    }

    private ServerBootstrap bootstrap(ChannelFactory<? extends ServerChannel> factory, Consumer<Channel> accept) {
        return new ServerBootstrap()
                .group(loops.group())
                .channelFactory(factory)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept.accept(channel);
                    }
                });
    }

    private void closeLocal() {
        Channel local = listeningLocally;
        if (local != null) {
            listeningLocally = null;
            local.close().awaitUninterruptibly();
        }
    }

    /**
     * Stops in order: closes the listening sockets, ends streams, refuses new requests with UNAVAILABLE, gives calls in
     * flight up to five seconds, and closes. A connection on a {@link GroupThread} that waits for its log is closed
     * when that thread returns to it or ends, before it reads another request. Must not be called on an event loop. The
     * second call does nothing.
     */
    @Override
    public void close() {
        Channel wasListening = listening;
        if (wasListening == null) {
            return;
        }
        listening = null;
        wasListening.close().awaitUninterruptibly();
        closeLocal();
        for (Channel connection : connections) {
            ServerHandler handler = connection.pipeline().get(ServerHandler.class);
            if (handler != null) {
                drain(connection, handler);
            }
        }
        if (!connections.newCloseFuture().awaitUninterruptibly(DRAIN_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
            LOG.warn("{} closes {} connections with requests in flight", identity.name(), connections.size());
        }
        if (!connections.close().awaitUninterruptibly(CLOSE_TIMEOUT_MILLIS)) {
            LOG.warn(
                    "{} leaves {} connections to group threads that do not come to them",
                    identity.name(),
                    connections.size());
        }
    }

    private static void drain(Channel connection, ServerHandler handler) {
        try {
            connection.eventLoop().execute(handler::drain);
        } catch (RejectedExecutionException e) {
            LOG.debug("the thread of {} has ended", connection.remoteAddress(), e);
        }
    }

    private void accept(Channel channel, String localSocket) {
        if (connections.size() >= settings.connectionsMax()) {
            LOG.warn("refused {}: {} connections are open", channel.remoteAddress(), connections.size());
            ChannelFuture unused = channel.close();
            return;
        }
        connections.add(channel);
        channel.config().setOptions(EventLoops.socketOptions(settings));
        FrameDecoder decoder = new FrameDecoder(settings.frameBytesMax(), clock);
        channel.pipeline()
                .addLast(
                        decoder,
                        new ServerHandler(
                                identity,
                                handlers,
                                settings,
                                clock,
                                decoder,
                                new ServerHandler.Port(localSocket, this::isCrowded, slow)));
    }

    /** Whether half of the connections are taken. The second half is kept for clients without a connection. */
    private boolean isCrowded() {
        return connections.size() > settings.connectionsMax() / 2;
    }
}
