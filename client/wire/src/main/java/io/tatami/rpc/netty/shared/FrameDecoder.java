package io.tatami.rpc.netty.shared;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameFormat;
import io.tatami.rpc.netty.frame.Frame;
import io.tatami.rpc.netty.frame.FramePrefix;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the bytes of a connection into {@link Frame}s, which it passes on. A frame that breaks {@link FrameFormat} is
 * told once as an exception MALFORMED, and all that follows it is dropped. While it is held it passes nothing on and
 * keeps what comes; the connection must then stop reading too, so that this is no more than a read or two.
 *
 * <p>Owned by the connection's event loop.
 */
public final class FrameDecoder extends ChannelInboundHandlerAdapter {
    /** Bytes of one read, and when it was. */
    private record Input(ByteBuf bytes, long readNanos) {}

    private final int frameBytesMax;
    private final Clock clock;
    private final ArrayDeque<Input> inputs = new ArrayDeque<>();
    private final ByteBuffer prefix = ByteBuffer.allocate(FrameFormat.PREFIX_BYTES);

    private boolean held;
    private boolean running;
    private boolean failed;

    /** The frame under way, once its prefix is there. */
    private @Nullable FramePrefix begun;

    private @Nullable FrameAssembly assembly;

    public FrameDecoder(int frameBytesMax, Clock clock) {
        this.frameBytesMax = frameBytesMax;
        this.clock = clock;
    }

    /** Passes no further frame on until {@link #resume}. */
    public void hold() {
        held = true;
    }

    /** Goes on with what came meanwhile, as far as it is not held again. */
    public void resume(ChannelHandlerContext ctx) {
        held = false;
        if (!running && !inputs.isEmpty()) {
            decode(ctx);
            ctx.fireChannelReadComplete();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        inputs.add(new Input(ConnectionMemory.keep((ByteBuf) message), clock.monotonicNanos()));
        decode(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        drop();
        ctx.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        drop();
    }

    private void decode(ChannelHandlerContext ctx) {
        if (running) {
            return;
        }
        running = true;
        try {
            Input input = inputs.peek();
            while (input != null && !held && !failed) {
                step(ctx, input);
                if (!failed && !input.bytes.isReadable()) {
                    inputs.remove().bytes.release();
                }
                input = inputs.peek();
            }
        } catch (TatamiException e) {
            failed = true;
            ctx.fireExceptionCaught(e);
        } finally {
            running = false;
            if (failed) {
                drop();
            }
        }
    }

    /** Uses up some of the input; passes at most one frame on. */
    private void step(ChannelHandlerContext ctx, Input input) throws TatamiException {
        if (begun == null) {
            begun = readPrefix(input.bytes);
        }
        FramePrefix now = begun;
        if (now == null) {
            return;
        }
        ByteBuf content = readContent(ctx, input.bytes, now.contentBytes());
        if (content != null) {
            begun = null;
            ctx.fireChannelRead(now.frame(content, input.readNanos));
        }
    }

    /** Null while there is too little of it. */
    private @Nullable FramePrefix readPrefix(ByteBuf bytes) throws TatamiException {
        int take = Math.min(prefix.remaining(), bytes.readableBytes());
        prefix.limit(prefix.position() + take);
        bytes.readBytes(prefix);
        prefix.limit(FrameFormat.PREFIX_BYTES);
        if (prefix.hasRemaining()) {
            return null;
        }
        prefix.clear();
        return FramePrefix.parse(prefix, frameBytesMax);
    }

    /** The frame's content once it is complete; ownership passes. */
    private @Nullable ByteBuf readContent(ChannelHandlerContext ctx, ByteBuf bytes, int contentBytes) {
        if (assembly == null) {
            if (bytes.readableBytes() >= contentBytes) {
                return bytes.readRetainedSlice(contentBytes);
            }
            assembly = new FrameAssembly(ctx.alloc(), contentBytes);
        }
        if (!assembly.take(bytes)) {
            return null;
        }
        ByteBuf content = assembly.finish();
        assembly = null;
        return content;
    }

    private void drop() {
        failed = true;
        if (running) {
            return;
        }
        for (Input input : inputs) {
            input.bytes.release();
        }
        inputs.clear();
        if (assembly != null) {
            assembly.release();
            assembly = null;
        }
    }
}
