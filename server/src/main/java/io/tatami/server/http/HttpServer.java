package io.tatami.server.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.flow.FlowControlHandler;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import java.net.InetSocketAddress;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The HTTP port of a process, on threads of its own: one for the sockets, and two that answer, so that no page holds up
 * what a server is there for. At most {@value #CONNECTIONS_MAX} connections are open and {@value #WAITING_MAX} requests
 * wait. Beyond that the connection is closed whose next request has been awaited for longest, the new one where all are
 * at work; and a request is answered with 503. Opened and closed by one thread.
 */
public final class HttpServer implements AutoCloseable {
    static final int CONNECTIONS_MAX = 128;
    private static final int WAITING_MAX = 64;
    private static final int ANSWERING_THREADS = 2;
    private static final int LINE_BYTES_MAX = 8_192;
    private static final int HEADER_BYTES_MAX = 16_384;
    private static final int BODY_BYTES_MAX = 64 << 10;
    private static final int IDLE_SECONDS = 60;
    private static final long CLOSE_SECONDS = 5;

    private final EventLoopGroup loop =
            new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory("http", true), NioIoHandler.newFactory());
    private final ExecutorService answering = new ThreadPoolExecutor(
            ANSWERING_THREADS,
            ANSWERING_THREADS,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(WAITING_MAX),
            Threads.daemons("http-answer"));
    private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    private final IdleConnections idle = new IdleConnections();
    private final HttpRoutes routes;
    private final HttpAccess access;

    /** @param routes complete; must not change from now on */
    public HttpServer(HttpRoutes routes, HttpAccess access) {
        this.routes = routes;
        this.access = access;
    }

    /**
     * Begins to listen.
     *
     * @param address port 0 for any free one
     * @return the address with its port
     * @throws TatamiException IN_USE where the address cannot be listened on
     */
    public InetSocketAddress start(InetSocketAddress address) throws TatamiException {
        ChannelFuture bound = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel);
                    }
                })
                .bind(address)
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new TatamiException(
                    ErrorCode.IN_USE,
                    "the HTTP port cannot listen on " + address + " ("
                            + bound.cause().getMessage()
                            + "); stop the process that listens there, or set tatami.http.port or tatami.http.bind",
                    bound.cause());
        }
        connections.add(bound.channel());
        return (InetSocketAddress) bound.channel().localAddress();
    }

    private void accept(Channel channel) {
        if (connections.size() > CONNECTIONS_MAX) {
            Channel leaving = idle.longest().orElse(channel);
            ChannelFuture unused = leaving.close();
            if (leaving.equals(channel)) {
                return;
            }
        }
        connections.add(channel);
        idle.waits(channel);
        channel.closeFuture().addListener(closed -> idle.waitsNoMore(channel));
        RequestDeadline deadline = new RequestDeadline();
        channel.pipeline()
                .addLast(
                        new ReadTimeoutHandler(IDLE_SECONDS),
                        deadline,
                        new HttpServerCodec(new HttpDecoderConfig()
                                .setMaxInitialLineLength(LINE_BYTES_MAX)
                                .setMaxHeaderSize(HEADER_BYTES_MAX)),
                        new HttpObjectAggregator(BODY_BYTES_MAX, true),
                        new FlowControlHandler(),
                        new HttpConnection(routes, access, answering, deadline, idle));
    }

    @Override
    public void close() {
        connections.close().awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
        answering.shutdownNow();
        loop.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS)
                .awaitUninterruptibly(CLOSE_SECONDS, TimeUnit.SECONDS);
    }
}
