package io.tatami.rpc.netty.shared;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import io.tatami.rpc.GroupThread;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;

/**
 * The threads that serve connections, on epoll where the machine has it and on NIO elsewhere. One instance may serve
 * several clients and servers of a process; whoever made it closes it, after them.
 */
public final class EventLoops implements AutoCloseable {
    private static final int LOOPS_BY_CORES_MAX = 4;
    private static final int RECEIVE_BYTES_MIN = 2 << 10;
    private static final int RECEIVE_BYTES_START = 16 << 10;
    private static final int RECEIVE_BYTES_MAX = 512 << 10;
    private static final long CLOSE_TIMEOUT_SECONDS = 10;
    private static final String LEAK_DETECTION = "io.netty.leakDetection.level";

    static {
        // Tests count every buffer; at work each hundredth one would be followed, with a stack trace, for nothing.
        if (System.getProperty(LEAK_DETECTION) == null) {
            ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        }
    }

    private final IoHandlerFactory handlers;
    private final EventLoopGroup group;
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();
    private final ChannelFactory<? extends Channel> socketFactory;
    private final ChannelFactory<? extends ServerChannel> serverFactory;
    private final boolean epoll;
    private final boolean local;

    /** @param name of the threads, which are daemons */
    public EventLoops(String name, RpcSettings settings) {
        this(name, settings, Epoll.isAvailable());
    }

    public EventLoops(String name, RpcSettings settings, boolean epoll) {
        handlers = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        int count = settings.eventLoops() > 0
                ? settings.eventLoops()
                : Math.min(Runtime.getRuntime().availableProcessors(), LOOPS_BY_CORES_MAX);
        ThreadFactory named = new DefaultThreadFactory(name, true);
        ThreadFactory remembering = task -> remembered(named.newThread(task));
        group = new MultiThreadIoEventLoopGroup(count, remembering, handlers);
        socketFactory = epoll ? EpollSocketChannel::new : NioSocketChannel::new;
        this.epoll = epoll;
        local = epoll && settings.localSocket();
        serverFactory = epoll ? EpollServerSocketChannel::new : NioServerSocketChannel::new;
    }

    private Thread remembered(Thread thread) {
        threads.add(thread);
        return thread;
    }

    /**
     * One more thread, beside those that serve all connections; whoever asks for it closes it, before this.
     *
     * @param name of the thread, which is a daemon
     */
    public GroupThread newGroupThread(String name) {
        ThreadFactory named = task -> {
            Thread thread = new FastThreadLocalThread(task, name);
            thread.setDaemon(true);
            return thread;
        };
        return new ServingThread(new MultiThreadIoEventLoopGroup(1, named, handlers));
    }

    public EventLoopGroup group() {
        return group;
    }

    public ChannelFactory<? extends Channel> socketFactory() {
        return socketFactory;
    }

    public ChannelFactory<? extends ServerChannel> serverFactory() {
        return serverFactory;
    }

    /** Whether the machine has it. */
    public boolean epoll() {
        return epoll;
    }

    /** Whether clients and servers of one host may talk through {@link LocalSocket}s. */
    public boolean local() {
        return local;
    }

    public ChannelFactory<? extends Channel> localFactory() {
        return EpollDomainSocketChannel::new;
    }

    public ChannelFactory<? extends ServerChannel> localServerFactory() {
        return EpollServerDomainSocketChannel::new;
    }

    /** The options of a connection over TCP, on either side. */
    public static Map<ChannelOption<?>, Object> tcpOptions() {
        return Map.of(ChannelOption.TCP_NODELAY, true, ChannelOption.SO_KEEPALIVE, true);
    }

    /** The options of any connection, on either side. */
    public static Map<ChannelOption<?>, Object> socketOptions(RpcSettings settings) {
        RecvByteBufAllocator receive = new ConnectionMemory(
                new AdaptiveRecvByteBufAllocator(RECEIVE_BYTES_MIN, RECEIVE_BYTES_START, RECEIVE_BYTES_MAX));
        int high = settings.writeBufferBytes();
        return Map.of(
                ChannelOption.ALLOCATOR,
                PooledByteBufAllocator.DEFAULT,
                ChannelOption.RECVBUF_ALLOCATOR,
                receive,
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(high / 4, high));
    }

    /**
     * Ends the threads, at most ten seconds later; connections still open are closed. Waits for it, except on one of
     * them.
     */
    @Override
    public void close() {
        Future<?> end = group.shutdownGracefully(0, CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
        boolean isOwn = StreamSupport.stream(group.spliterator(), false).anyMatch(EventExecutor::inEventLoop);
        if (!isOwn) {
            end.awaitUninterruptibly();
            // The group tells its end from its threads, which still run then.
            threads.forEach(EventLoops::awaitEnd);
        }
    }

    private static void awaitEnd(Thread thread) {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(CLOSE_TIMEOUT_SECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
