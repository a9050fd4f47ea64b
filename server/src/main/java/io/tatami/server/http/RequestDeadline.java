package io.tatami.server.http;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection whose request is not complete {@value #SECONDS} s after its first byte, so that a client that
 * sends a byte now and then holds no connection. On the connection's event loop.
 */
final class RequestDeadline extends ChannelInboundHandlerAdapter {
    private static final int SECONDS = 15;

    private @Nullable ScheduledFuture<?> closing;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object bytes) {
        if (closing == null) {
            closing = ctx.executor()
                    .schedule(
                            () -> {
                                ChannelFuture unused = ctx.close();
                            },
                            SECONDS,
                            TimeUnit.SECONDS);
        }
        ctx.fireChannelRead(bytes);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        complete();
        ctx.fireChannelInactive();
    }

    /** A whole request is here. */
    void complete() {
        ScheduledFuture<?> planned = closing;
        closing = null;
        if (planned != null) {
            planned.cancel(false);
        }
    }
}
