package io.tatami.rpc.netty.client;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.wire.Goodbye;
import io.tatami.protocol.wire.ReplyHeader;
import io.tatami.protocol.wire.Welcome;
import io.tatami.rpc.DirectMemory;
import io.tatami.rpc.netty.frame.Frame;
import io.tatami.rpc.netty.shared.ChannelContext;
import io.tatami.rpc.netty.shared.Handshake;
import io.tatami.rpc.netty.shared.Outbox;
import io.tatami.rpc.netty.shared.ReplyErrors;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client's side of a connection on its event loop: handshake, then frames to requests, deadlines, signs of life.
 */
public final class ClientHandler extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(ClientHandler.class);

    /** How exactly deadlines are kept while requests are in flight. */
    private static final long DEADLINE_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final ConnectTarget dial;
    private final SocketAddress peer;
    private final RpcSettings settings;
    private final Clock clock;
    private final CompletableFuture<ClientConnection> ready = new CompletableFuture<>();

    private @Nullable Session session;
    private @Nullable ClientConnection connection;
    private @Nullable TatamiException closeReason;
    private @Nullable ScheduledFuture<?> tick;
    private boolean ticksFast;
    private long openedNanos;
    private long lastHeardNanos;
    private long lastPingNanos;

    /** What there is from the moment the socket is connected. */
    private record Session(ChannelHandlerContext ctx, ChannelContext link, ClientRequests requests) {}

    public ClientHandler(ConnectTarget dial) {
        this.dial = dial;
        this.peer = dial.server();
        this.settings = dial.settings();
        this.clock = dial.clock();
    }

    /** Completes with the handshake. */
    public CompletableFuture<ClientConnection> ready() {
        return ready;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) throws TatamiException {
        Outbox outbox = new Outbox(ctx.channel(), settings);
        ChannelContext link = new ChannelContext(ctx.channel(), outbox, clock);
        ClientRequests requests = new ClientRequests(outbox, settings, clock, this::tickFast);
        session = new Session(ctx, link, requests);
        openedNanos = clock.monotonicNanos();
        lastHeardNanos = openedNanos;
        lastPingNanos = openedNanos;
        outbox.write(FrameKind.HELLO, 0, null, Handshake.hello(dial.identity(), settings, null));
        outbox.run();
        scheduleTick(session);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws TatamiException {
        Frame frame = (Frame) message;
        Session now = session;
        try {
            if (now != null && closeReason == null) {
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
            session.link.outbox().gate().wake();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        TatamiException reason = lost();
        if (tick != null) {
            tick.cancel(false);
        }
        if (session != null) {
            session.requests.failAll(reason);
            session.link.outbox().close();
        }
        ready.completeExceptionally(closeReason == null ? reason : closeReason);
        if (connection != null) {
            connection.lost();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof TatamiException told) {
            LOG.warn("closing the connection to {}: {}", peer, told.getMessage());
            close(told);
        } else if (cause instanceof IOException) {
            LOG.debug("lost the connection to {}", peer, cause);
            close(new TatamiException(ErrorCode.UNAVAILABLE, Handshake.messageOf(cause), cause));
        } else if (cause instanceof OutOfMemoryError) {
            LOG.error("closing the connection to {}: {}", peer, DirectMemory.REMEDY, cause);
            close(new TatamiException(ErrorCode.UNAVAILABLE, DirectMemory.REMEDY, cause));
        } else {
            LOG.error("a bug in the client of {}", peer, cause);
            close(new TatamiException(ErrorCode.INTERNAL, Handshake.messageOf(cause), cause));
        }
    }

    private void dispatch(Session now, Frame frame) throws TatamiException {
        if (connection == null && frame.kind() != FrameKind.WELCOME && frame.kind() != FrameKind.GOODBYE) {
            throw new TatamiException(ErrorCode.MALFORMED, "the server's first frame is " + frame.kind());
        }
        switch (frame.kind()) {
            case WELCOME -> welcome(now, frame.body(Welcome.parser()));
            case REPLY -> reply(now, frame);
            case DATA -> data(now, frame);
            case PING -> now.link.outbox().writeShort(FrameKind.PONG, frame.callId(), null, null);
            case PONG -> LOG.trace("{} is alive", peer);
            case GOODBYE -> goodbye(frame.body(Goodbye.parser()));
            case HELLO, REQUEST, CANCEL ->
                throw new TatamiException(ErrorCode.MALFORMED, "a server must not send " + frame.kind());
        }
    }

    private void welcome(Session now, Welcome welcome) throws TatamiException {
        if (connection != null) {
            throw new TatamiException(ErrorCode.MALFORMED, "the server sent WELCOME twice");
        }
        UUID cluster = Handshake.accept(welcome, dial.identity());
        now.link.outbox().limitFrames(welcome.getFrameBytesMax());
        now.requests.agree(NegotiatedProtocol.of(welcome), welcome.getInflightRequestsMax());
        DirectConnections direct = new DirectConnections(dial, cluster);
        connection = new ClientConnection(peer, now.link, now.requests, direct, welcome.getLocalSocket());
        LOG.debug("connected to {} ({} {})", peer, welcome.getServerName(), welcome.getServerVersion());
        ready.complete(connection);
    }

    private void reply(Session now, Frame frame) throws TatamiException {
        ReplyHeader header = frame.header(ReplyHeader.parser());
        PendingRequest request = now.requests.get(frame.callId());
        if (request == null) {
            // Given up before the reply came.
            return;
        }
        TatamiException failure = ReplyErrors.of(header);
        if (failure == null) {
            request.waiter().replied(frame);
        } else {
            request.waiter().failed(failure);
        }
        now.requests.finish(request);
    }

    private static void data(Session now, Frame frame) throws TatamiException {
        PendingRequest request = now.requests.get(frame.callId());
        if (request != null) {
            request.waiter().received(frame);
        }
    }

    private void goodbye(Goodbye goodbye) {
        TatamiException reason = Handshake.reasonOf(goodbye);
        LOG.debug("{} said goodbye: {} {}", peer, reason.code(), goodbye.getMessage());
        close(reason);
    }

    private void close(TatamiException reason) {
        if (closeReason == null) {
            closeReason = reason;
        }
        if (session != null) {
            ChannelFuture unused = session.ctx.close();
        }
    }

    /** What requests in flight fail with: the server may have done them. */
    private TatamiException lost() {
        String why = closeReason == null ? "closed" : Handshake.messageOf(closeReason);
        return new TatamiException(
                ErrorCode.UNAVAILABLE, "the connection to " + peer + " was lost: " + why, closeReason);
    }

    private void tickFast() {
        if (!ticksFast && session != null) {
            if (tick != null) {
                tick.cancel(false);
            }
            scheduleTick(session);
        }
    }

    private void scheduleTick(Session now) {
        ticksFast = !now.requests.isEmpty();
        long slowNanos = Math.min(
                settings.pingInterval().toNanos() / 2,
                settings.handshakeTimeout().toNanos() / 2);
        long delayNanos = ticksFast ? Math.min(DEADLINE_TICK_NANOS, slowNanos) : slowNanos;
        tick = now.ctx.channel().eventLoop().schedule(() -> tick(now), delayNanos, TimeUnit.NANOSECONDS);
    }

    private void tick(Session now) {
        now.requests.expire();
        checkSilence(now, clock.monotonicNanos());
        if (connection != null) {
            connection.direct().closeStale();
            closeIdle(now, connection);
        }
        now.link.outbox().run();
        if (now.ctx.channel().isActive()) {
            scheduleTick(now);
        }
    }

    private void checkSilence(Session now, long nowNanos) {
        long silentNanos = nowNanos - lastHeardNanos;
        if (connection == null) {
            if (nowNanos - openedNanos > settings.handshakeTimeout().toNanos()) {
                close(new TatamiException(ErrorCode.UNAVAILABLE, "the server did not answer the handshake"));
            }
        } else if (silentNanos > settings.silenceMax().toNanos()) {
            close(new TatamiException(ErrorCode.UNAVAILABLE, "the server has been silent for too long"));
        } else if (Math.min(silentNanos, nowNanos - lastPingNanos) > pingNanos(now)) {
            lastPingNanos = nowNanos;
            ping(now);
        }
    }

    /** Also what callers have beside it counts: they are given it first. */
    private void closeIdle(Session now, ClientConnection idle) {
        if (now.requests.isEmpty()
                && idle.direct().opened() == 0
                && idle.retire(settings.idleMax().toNanos())) {
            close(new TatamiException(ErrorCode.UNAVAILABLE, "idle"));
        }
    }

    /** Nobody waits for what comes on an idle connection, of which a server can have thousands. */
    private long pingNanos(Session now) {
        long busyNanos = settings.pingInterval().toNanos();
        return now.requests.isEmpty()
                ? Math.max(busyNanos, settings.silenceMax().toNanos() / 3)
                : busyNanos;
    }

    private static void ping(Session now) {
        now.link.outbox().writeShort(FrameKind.PING, 0, null, null);
    }
}
