package io.tatami.rpc.netty.server;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.Hello;
import io.tatami.protocol.wire.Welcome;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.GroupThread;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.netty.frame.Frame;
import io.tatami.rpc.netty.shared.CallContexts;
import io.tatami.rpc.netty.shared.ChannelContext;
import io.tatami.rpc.netty.shared.FrameDecoder;
import io.tatami.rpc.netty.shared.Handshake;
import io.tatami.rpc.netty.shared.Outbox;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.rpc.netty.shared.ServerIdentity;
import io.tatami.rpc.netty.shared.ServingThread;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server's side of a connection on its event loop: handshake, then frames to who serves them, silence. */
public final class ServerHandler extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ServerHandler.class);

    /** How exactly the deadlines of streams are kept. */
    private static final long STREAM_TICK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ServerIdentity identity;
    private final HandlerTable handlers;
    private final RpcSettings settings;
    private final Clock clock;
    private final FrameDecoder decoder;
    private final Port port;

    private @Nullable Session session;
    /** From the handshake on. */
    private @Nullable ServerRequests requests;

    private @Nullable ScheduledFuture<?> tick;
    private boolean ticksForStreams;
    private volatile boolean draining;

    /** From one event loop to another; meanwhile nothing is begun, and nothing written. */
    private volatile boolean moving;

    private boolean leaving;
    private long openedNanos;
    private long lastHeardNanos;

    /** What there is from the first moment. */
    private record Session(
            ChannelHandlerContext ctx, ChannelContext link, ReadGate readGate, ServerCalls calls, StallWatch stall) {}

    /**
     * What the connections of a port share.
     *
     * @param localSocket told to the client; empty for none
     * @param crowded whether so many connections are open that a client should do with one
     * @param slow logs slow calls
     */
    public record Port(String localSocket, BooleanSupplier crowded, SlowRequests slow) {}

    public ServerHandler(
            ServerIdentity identity,
            HandlerTable handlers,
            RpcSettings settings,
            Clock clock,
            FrameDecoder decoder,
            Port port) {
        this.identity = identity;
        this.handlers = handlers;
        this.settings = settings;
        this.clock = clock;
        this.decoder = decoder;
        this.port = port;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        Outbox outbox = new Outbox(ctx.channel(), settings);
        ChannelContext link = new ChannelContext(ctx.channel(), outbox, clock);
        ReadGate readGate = new ReadGate(ctx, decoder);
        ServerCalls calls = new ServerCalls(
                link, settings.inflightRequestsMax(), readGate, this::leaveIfDrained, handlers.observer(), port.slow());
        session = new Session(ctx, link, readGate, calls, new StallWatch(ctx.channel()));
        openedNanos = clock.monotonicNanos();
        lastHeardNanos = openedNanos;
        scheduleTick(session);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws TatamiException {
        Frame frame = (Frame) message;
        Session now = session;
        try {
            if (now != null && !leaving) {
                now.link.outbox().beginRead();
                lastHeardNanos = frame.arrivalNanos();
                dispatch(now, frame);
            }
        } finally {
            frame.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (session != null) {
            session.link.outbox().endRead();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (session != null) {
            session.readGate.congested(!ctx.channel().isWritable() && !session.calls.hasStreams());
            session.link.outbox().gate().wake();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        leaving = true;
        cancelTick();
        if (session != null) {
            session.calls.cancelAll(
                    new TatamiException(ErrorCode.UNAVAILABLE, "the connection to the client was lost"));
            session.link.outbox().close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof TatamiException told) {
            LOG.warn("closing the connection of {}: {}", ctx.channel().remoteAddress(), told.getMessage());
            leave(told);
        } else if (cause instanceof IOException) {
            LOG.debug("lost the connection of {}", ctx.channel().remoteAddress(), cause);
            ChannelFuture unused = ctx.close();
        } else {
            LOG.error("a bug in serving {}", ctx.channel().remoteAddress(), cause);
            leave(new TatamiException(ErrorCode.INTERNAL, Handshake.messageOf(cause), cause));
        }
    }

    /** Takes no new request, ends the streams, and closes once the last call is answered; on an event loop. */
    void drain() {
        draining = true;
        if (moving) {
            // Whoever receives it asks whether it is to drain.
            return;
        }
        if (session != null && !session.ctx.channel().eventLoop().inEventLoop()) {
            session.ctx.channel().eventLoop().execute(this::drain);
            return;
        }
        if (session != null) {
            session.calls.endStreams(stream -> true, stopping());
            session.link.outbox().run();
        }
        leaveIfDrained();
    }

    private void dispatch(Session now, Frame frame) throws TatamiException {
        ServerRequests known = requests;
        if (moving) {
            throw new TatamiException(ErrorCode.MALFORMED, "the client sent " + frame.kind() + " before WELCOME");
        }
        if (known == null) {
            if (frame.kind() != FrameKind.HELLO) {
                throw new TatamiException(ErrorCode.MALFORMED, "the client's first frame is " + frame.kind());
            }
            hello(now, frame.body(Hello.parser()));
            return;
        }
        switch (frame.kind()) {
            case REQUEST -> request(now, known, frame);
            case DATA -> known.data(frame);
            case CANCEL -> known.cancel(frame);
            case PING -> now.link.outbox().writeShort(FrameKind.PONG, frame.callId(), null, null);
            case PONG -> LOG.trace("{} is alive", now.ctx.channel().remoteAddress());
            case GOODBYE -> LOG.debug("{} leaves", now.ctx.channel().remoteAddress());
            case HELLO, WELCOME, REPLY ->
                throw new TatamiException(ErrorCode.MALFORMED, "a client does not send " + frame.kind() + " here");
        }
    }

    private void request(Session now, ServerRequests known, Frame frame) throws TatamiException {
        if (draining) {
            now.calls.refuse(frame.callId(), stopping());
        } else {
            known.begin(frame);
            if (!ticksForStreams && now.calls.hasStreams()) {
                cancelTick();
                scheduleTick(now);
            }
        }
    }

    private void hello(Session now, Hello hello) throws TatamiException {
        Welcome welcome = Handshake.answer(hello, identity, settings, port.localSocket());
        if (hello.hasGroup() && port.crowded().getAsBoolean()) {
            throw new TatamiException(
                    ErrorCode.BUSY, identity.name() + " is short of connections and accepts only one from each client");
        }
        CallContext.Peer peer = CallContexts.of(now.ctx.channel(), hello.getClientName());
        UserIdentity user = identity.authenticator().authenticate(hello.getAuthScheme(), hello.getCredential(), peer);
        now.link.outbox().limitFrames(hello.getFrameBytesMax());
        ServerRequests.Client client = new ServerRequests.Client(peer, user, welcome.getVersion());
        requests = new ServerRequests(identity, handlers, clock, now.link, now.calls, client);
        LOG.debug("{} connected: {} {}", peer.address(), hello.getClientName(), hello.getClientVersion());
        GroupThread thread = hello.hasGroup() ? handlers.thread(CallContexts.group(hello.getGroup())) : null;
        if (thread instanceof ServingThread serving) {
            move(now, serving, welcome);
        } else {
            now.link.outbox().write(FrameKind.WELCOME, 0, null, welcome);
        }
    }

    /** Has another thread serve the connection, and welcomes the client there. */
    private void move(Session now, ServingThread thread, Welcome welcome) {
        Channel channel = now.ctx.channel();
        moving = true;
        cancelTick();
        ChannelFuture unused = channel.deregister()
                .addListener(left -> thread.serve(channel).addListener(arrived -> {
                    if (arrived.isSuccess()) {
                        arrive(now, welcome);
                    } else {
                        // It was closed, by its client or because the other thread has just ended.
                        LOG.debug("the connection of {} did not arrive", channel.remoteAddress(), arrived.cause());
                    }
                }));
    }

    private void arrive(Session now, Welcome welcome) throws TatamiException {
        moving = false;
        if (leaving || !now.ctx.channel().isActive()) {
            ChannelFuture unused = now.ctx.close();
            return;
        }
        scheduleTick(now);
        now.link.outbox().write(FrameKind.WELCOME, 0, null, welcome);
        now.link.outbox().run();
        leaveIfDrained();
    }

    private void leaveIfDrained() {
        if (draining && !leaving && session != null && session.calls.isEmpty()) {
            leave(stopping());
        }
    }

    private TatamiException stopping() {
        return new TatamiException(ErrorCode.UNAVAILABLE, identity.name() + " is stopping");
    }

    /** Without a goodbye, which would wait behind what the client does not take. */
    private void closeStalled(Session now, Duration patience) {
        LOG.warn(
                "closing the connection of {}: it has taken nothing for {} s of {} bytes that were sent to it",
                now.ctx.channel().remoteAddress(),
                patience.toSeconds(),
                now.stall.waitingBytes());
        ChannelFuture unused = now.ctx.close();
    }

    /** Says why, and closes. */
    private void leave(TatamiException reason) {
        if (leaving || session == null) {
            return;
        }
        leaving = true;
        if (moving) {
            // Neither loop may write now; it is closed where it arrives.
            return;
        }
        Session now = session;
        session.calls.cancelAll(reason);
        try {
            session.link.outbox().write(FrameKind.GOODBYE, 0, null, Handshake.goodbye(reason));
        } catch (TatamiException e) {
            LOG.debug("no goodbye to {}", session.ctx.channel().remoteAddress(), e);
        }
        session.ctx.channel().eventLoop().execute(() -> flushAndClose(now));
    }

    private static void flushAndClose(Session now) {
        now.link.outbox().run();
        ChannelFuture unused = now.ctx.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    /**
     * Connections tick at the same moments, so that a loop with thousands of idle ones is woken once for all; and
     * seldom, as each then takes what its processor has in its caches.
     */
    private void scheduleTick(Session now) {
        ticksForStreams = now.calls.hasStreams() || now.stall.waitingBytes() > 0;
        long periodNanos = settings.silenceMax().toNanos() / 4;
        if (requests == null) {
            periodNanos = Math.min(periodNanos, settings.handshakeTimeout().toNanos() / 2);
        }
        if (ticksForStreams) {
            periodNanos = Math.min(periodNanos, STREAM_TICK_NANOS);
        }
        long delayNanos = periodNanos - Math.floorMod(clock.monotonicNanos(), periodNanos);
        tick = now.ctx.channel().eventLoop().schedule(() -> tick(now), delayNanos, TimeUnit.NANOSECONDS);
    }

    private void cancelTick() {
        if (tick != null) {
            tick.cancel(false);
        }
    }

    private void tick(Session now) {
        long nowNanos = clock.monotonicNanos();
        if (now.readGate.isHeld()) {
            lastHeardNanos = nowNanos;
        }
        now.calls.endStreams(
                stream -> stream.context().isExpired(clock),
                new TatamiException(ErrorCode.DEADLINE_EXCEEDED, "the deadline of the stream has passed"));
        now.link.outbox().run();
        Duration patience = handlers.isShortOfMemory() ? settings.silenceMax().dividedBy(4) : settings.silenceMax();
        if (now.stall.isStalled(nowNanos, patience.toNanos())) {
            closeStalled(now, patience);
        } else if (requests == null
                && nowNanos - openedNanos > settings.handshakeTimeout().toNanos()) {
            leave(new TatamiException(ErrorCode.DEADLINE_EXCEEDED, "the client sent no HELLO within the time limit"));
        } else if (nowNanos - lastHeardNanos > settings.silenceMax().toNanos()) {
            leave(new TatamiException(ErrorCode.DEADLINE_EXCEEDED, "the client has been silent for too long"));
        }
        if (now.ctx.channel().isActive()) {
            scheduleTick(now);
        }
    }
}
