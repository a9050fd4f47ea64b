package io.tatami.rpc.netty.shared;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.tatami.rpc.GroupThread;
import java.util.concurrent.TimeUnit;

/** An event loop of its own for a group. */
public final class ServingThread implements GroupThread {
    private static final long WORK_AFTER_CLOSE_SECONDS_MAX = 10;

    private final EventLoopGroup group;
    private final EventLoop loop;

    /** Those that it serves. Netty would leave open what arrives as the loop ends. */
    private final ChannelGroup connections = new DefaultChannelGroup(ImmediateEventExecutor.INSTANCE, true);

    /** @param group of one loop, which is ended with this */
    ServingThread(EventLoopGroup group) {
        this.group = group;
        this.loop = group.next();
    }

    /** Serves a connection that no loop serves now; done, on this thread, when it does. */
    public ChannelFuture serve(Channel connection) {
        return loop.register(connection).addListener(done -> {
            if (done.isSuccess()) {
                connections.add(connection);
            }
        });
    }

    @Override
    public void execute(Runnable work) {
        loop.execute(work);
    }

    @Override
    public boolean isCurrent() {
        return loop.inEventLoop();
    }

    @Override
    public void close() {
        if (!group.isShuttingDown()) {
            // What is answered by the work that it has by now is sent by work that comes behind that.
            loop.execute(() -> loop.execute(this::end));
        }
        group.terminationFuture().awaitUninterruptibly();
    }

    private void end() {
        ChannelGroupFuture unused = connections.close();
        Future<?> unusedToo = group.shutdownGracefully(0, WORK_AFTER_CLOSE_SECONDS_MAX, TimeUnit.SECONDS);
    }
}
