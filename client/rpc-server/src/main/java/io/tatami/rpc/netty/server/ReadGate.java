package io.tatami.rpc.netty.server;

import io.netty.channel.ChannelHandlerContext;
import io.tatami.rpc.netty.shared.FrameDecoder;

/**
 * Decides whether a server reads a connection: not while too many requests are in flight, and not while the client does
 * not take what it asked for. Owned by the connection's event loop.
 */
final class ReadGate {
    private final ChannelHandlerContext ctx;
    private final FrameDecoder decoder;
    private boolean full;
    private boolean congested;
    private boolean held;

    ReadGate(ChannelHandlerContext ctx, FrameDecoder decoder) {
        this.ctx = ctx;
        this.decoder = decoder;
    }

    boolean isHeld() {
        return held;
    }

    /** Whether more requests are in flight than may be. */
    void full(boolean now) {
        full = now;
        update();
    }

    /** Whether more is written than the peer takes. */
    void congested(boolean now) {
        congested = now;
        update();
    }

    private void update() {
        boolean hold = full || congested;
        if (hold == held) {
            return;
        }
        held = hold;
        if (hold) {
            decoder.hold();
            ctx.channel().config().setAutoRead(false);
        } else {
            decoder.resume(ctx.pipeline().context(decoder));
            if (!held) {
                ctx.channel().config().setAutoRead(true);
            }
        }
    }
}
