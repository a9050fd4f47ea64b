package io.tatami.rpc.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.protocol.FrameKind;
import io.tatami.rpc.EchoService;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.netty.server.ServerHandler;
import io.tatami.rpc.netty.server.SlowRequests;
import io.tatami.rpc.netty.shared.FrameDecoder;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.rpc.netty.shared.ServerIdentity;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** When the server's side of a connection looks after it. */
final class ServerTicksTest {
    private final ManualClock clock = new ManualClock();
    private final HandlerTable handlers = new EchoService().handlers();

    private EmbeddedChannel accept() throws TatamiException {
        EmbeddedChannel channel = new EmbeddedChannel();
        addHandlers(channel);
        return channel;
    }

    private void addHandlers(EmbeddedChannel channel) throws TatamiException {
        RpcSettings settings = RpcSettings.from(Settings.of(Map.of()));
        FrameDecoder decoder = new FrameDecoder(settings.frameBytesMax(), clock);
        ServerIdentity identity = ServerIdentity.simple("the test server", Rig.CLUSTER);
        ServerHandler handler = new ServerHandler(
                identity,
                handlers,
                settings,
                clock,
                decoder,
                new ServerHandler.Port("", () -> false, new SlowRequests(0)));
        channel.pipeline().addLast(decoder, handler);
        // The channel was active before it had them.
        channel.pipeline().fireChannelActive();
    }

    /** A socket that takes nothing while it is stuck. */
    private static final class StuckChannel extends EmbeddedChannel {
        private boolean stuck;

        @Override
        protected void doWrite(ChannelOutboundBuffer out) throws Exception {
            if (!stuck) {
                super.doWrite(out);
            }
        }
    }

    private void passSeconds(EmbeddedChannel channel, int seconds) {
        for (int i = 0; i < seconds; i++) {
            clock.advance(Duration.ofSeconds(1));
            channel.advanceTimeBy(1, TimeUnit.SECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    /** A client that still says that it lives. */
    private void passSecondsWithPings(EmbeddedChannel channel, int seconds) {
        for (int i = 0; i < seconds && channel.isOpen(); i += 10) {
            send(channel, RawPeer.frame(FrameKind.PONG, StringValue.getDefaultInstance()));
            passSeconds(channel, 10);
        }
    }

    @Test
    void aClientThatTakesNothingIsClosedThoughItPingsAndItsBuffersAreFree() throws TatamiException {
        StuckChannel channel = new StuckChannel();
        channel.freezeTime();
        addHandlers(channel);
        send(channel, RawPeer.frame(FrameKind.HELLO, RawPeer.hello().build()));
        send(channel, RawPeer.request(2, EchoService.MIRROR.number(), StringValue.of("")));
        channel.stuck = true;
        ByteBuf frame = Unpooled.buffer().writeZero(1 << 20);
        ChannelFuture unused = channel.writeAndFlush(frame);

        passSecondsWithPings(channel, 50);
        assertTrue(channel.isOpen());
        assertEquals(1, frame.refCnt());

        passSecondsWithPings(channel, 30);
        assertFalse(channel.isOpen());
        assertEquals(0, frame.refCnt());
    }

    @Test
    void aClientThatTakesNothingIsClosedSoonerWhileOthersWaitForMemory() throws TatamiException {
        AtomicBoolean isShort = new AtomicBoolean();
        handlers.shortOfMemoryWhen(isShort::get);
        StuckChannel channel = new StuckChannel();
        channel.freezeTime();
        addHandlers(channel);
        send(channel, RawPeer.frame(FrameKind.HELLO, RawPeer.hello().build()));
        channel.stuck = true;
        ByteBuf frame = Unpooled.buffer().writeZero(1 << 20);
        ChannelFuture unused = channel.writeAndFlush(frame);

        passSecondsWithPings(channel, 40);
        assertTrue(channel.isOpen());
        isShort.set(true);
        passSecondsWithPings(channel, 10);
        assertFalse(channel.isOpen());
        assertEquals(0, frame.refCnt());
    }

    @Test
    void aClientThatTakesALittleNowAndThenIsNotClosed() throws TatamiException {
        StuckChannel channel = new StuckChannel();
        channel.freezeTime();
        addHandlers(channel);
        send(channel, RawPeer.frame(FrameKind.HELLO, RawPeer.hello().build()));
        for (int i = 0; i < 5; i++) {
            channel.stuck = true;
            ChannelFuture unused = channel.writeAndFlush(Unpooled.buffer().writeZero(100));
            passSecondsWithPings(channel, 40);
            channel.stuck = false;
            channel.flush();
        }

        assertTrue(channel.isOpen());
        channel.finishAndReleaseAll();
    }

    private static void send(EmbeddedChannel channel, byte[] frame) {
        channel.writeInbound(Unpooled.wrappedBuffer(frame));
    }

    /** What is left is counted by the machine's clock, which only makes it less. */
    private static void assertTicksWithin(EmbeddedChannel channel, long millis) {
        long nanos = channel.runScheduledPendingTasks();
        assertTrue(nanos >= 0 && nanos <= TimeUnit.MILLISECONDS.toNanos(millis), () -> "next tick in " + nanos + " ns");
    }

    @Test
    void connectionsThatCameOneAfterTheOtherAreLookedAfterAtTheSameMoments() throws TatamiException {
        EmbeddedChannel first = accept();
        assertTicksWithin(first, 5_000);
        clock.advance(Duration.ofMillis(4_700));
        EmbeddedChannel second = accept();
        assertTicksWithin(second, 300);
        clock.advance(Duration.ofMillis(299));
        EmbeddedChannel third = accept();
        assertTicksWithin(third, 1);
        first.finishAndReleaseAll();
        second.finishAndReleaseAll();
        third.finishAndReleaseAll();
    }

    @Test
    void aConnectionWithAStreamIsLookedAfterEachSecondAndOthersSeldom() throws TatamiException {
        EmbeddedChannel channel = accept();
        send(channel, RawPeer.frame(FrameKind.HELLO, RawPeer.hello().build()));
        send(channel, RawPeer.request(1, EchoService.ECHO.number(), StringValue.of("x")));
        long nanos = channel.runScheduledPendingTasks();
        assertTrue(nanos > TimeUnit.SECONDS.toNanos(2), () -> "next tick in " + nanos + " ns");
        send(channel, RawPeer.request(2, EchoService.MIRROR.number(), StringValue.of("")));
        assertTicksWithin(channel, 1_000);
        channel.finishAndReleaseAll();
    }
}
