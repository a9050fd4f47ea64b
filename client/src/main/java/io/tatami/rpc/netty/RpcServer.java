package io.tatami.rpc.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.rpc.HandlerTable;
import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves the methods of a {@link HandlerTable} on one address. Started and closed by one thread. */
public final class RpcServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RpcServer.class);
    private static final int BACKLOG = 1024;
    private static final long DRAIN_TIMEOUT_MILLIS = 5_000;

    private final EventLoops loops;
    private final RpcSettings settings;
    private final Clock clock;
    private final ServerIdentity identity;
    private final HandlerTable handlers;
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private @Nullable Channel listening;

    /**
     * @param loops stays the caller's, who closes it after this server
     * @param handlers complete; must not change from here on
     */
    public RpcServer(
            EventLoops loops, RpcSettings settings, Clock clock, ServerIdentity identity, HandlerTable handlers) {
        this.loops = loops;
        this.settings = settings;
        this.clock = clock;
        this.identity = identity;
        this.handlers = handlers;
    }

    /**
     * Listens from now on.
     *
     * @param address with port 0 for any that is free
     * @return the address with the port that was taken
     * @throws TatamiException IN_USE when the address cannot be listened on
     */
    public SocketAddress start(SocketAddress address) throws TatamiException {
        Check.check(listening == null, "%s is started twice", identity.name());
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops.group())
                .channelFactory(loops.serverFactory())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        accept(channel);
                    }
                });
        ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new TatamiException(
                    ErrorCode.IN_USE,
                    identity.name() + " cannot listen on " + address + " ("
                            + bound.cause().getMessage() + "); stop what listens there, or name another host or port",
                    bound.cause());
        }
        listening = bound.channel();
        return listening.localAddress();
    }

    /**
     * Stops in order: listens no more, ends streams and refuses new requests with UNAVAILABLE, lets calls in flight be
     * answered for up to five seconds, and closes. Must not be called on an event loop. Does nothing the second time.
     */
    @Override
    public void close() {
        Channel wasListening = listening;
        if (wasListening == null) {
            return;
        }
        listening = null;
        wasListening.close().awaitUninterruptibly();
        for (Channel connection : connections) {
            ServerHandler handler = connection.pipeline().get(ServerHandler.class);
            if (handler != null) {
                connection.eventLoop().execute(handler::drain);
            }
        }
        if (!connections.newCloseFuture().awaitUninterruptibly(DRAIN_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)) {
            LOG.warn("{} closes {} connections with requests in flight", identity.name(), connections.size());
        }
        connections.close().awaitUninterruptibly();
    }

    private void accept(SocketChannel channel) {
        if (connections.size() >= settings.connectionsMax()) {
            LOG.warn("refused {}: {} connections are open", channel.remoteAddress(), connections.size());
            ChannelFuture unused = channel.close();
            return;
        }
        connections.add(channel);
        channel.config().setOptions(EventLoops.socketOptions(settings));
        FrameDecoder decoder = new FrameDecoder(settings.frameBytesMax(), clock);
        channel.pipeline().addLast(decoder, new ServerHandler(identity, handlers, settings, clock, decoder));
    }
}
