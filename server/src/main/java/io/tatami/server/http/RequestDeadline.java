package io.tatami.server.http;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection whose first request is not complete {@value #SECONDS} s after it was opened, or a later one so
 * long after its first byte, so that a client that is silent, or sends a byte now and then, holds no connection. On the
 * connection's event loop.
 */
final class RequestDeadline extends ChannelInboundHandlerAdapter {
    private static final int SECONDS = 15;

    private @Nullable ScheduledFuture<?> closing;

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        begin(ctx);
        ctx.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object bytes) {
        begin(ctx);
        ctx.fireChannelRead(bytes);
    }

    private void begin(ChannelHandlerContext ctx) {
        if (closing == null) {
            closing = ctx.executor()
                    .schedule(
                            () -> {
                                ChannelFuture unused = ctx.close();
                            },
                            SECONDS,
                            TimeUnit.SECONDS);
        }
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
