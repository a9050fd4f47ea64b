package io.tatami.rpc.netty.shared;

import io.netty.channel.ChannelHandlerContext;

/**
 * Decides whether a connection is read: not while a stream asked for a pause, not while too many requests are in
 * flight, and, on a server, not while the peer does not take what it asked for. Owned by the connection's event loop.
 */
public final class ReadGate {
    private final ChannelHandlerContext ctx;
    private final FrameDecoder decoder;
    private int pauses;
    private boolean full;
    private boolean congested;
    private boolean held;

    public ReadGate(ChannelHandlerContext ctx, FrameDecoder decoder) {
        this.ctx = ctx;
        this.decoder = decoder;
    }

    public boolean isHeld() {
        return held;
    }

    void pause() {
        pauses++;
        update();
    }

    void unpause() {
        pauses--;
        update();
    }

    /** Whether more requests are in flight than may be. */
    public void full(boolean now) {
        full = now;
        update();
    }

    /** Whether more is written than the peer takes. */
    public void congested(boolean now) {
        congested = now;
        update();
    }

    private void update() {
        boolean hold = pauses > 0 || full || congested;
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
