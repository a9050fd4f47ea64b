package io.tatami.rpc.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.StringValue;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.tatami.base.ManualClock;
import io.tatami.conf.Settings;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.EchoService;
import io.tatami.rpc.netty.client.ClientHandler;
import io.tatami.rpc.netty.client.ConnectTarget;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.FrameDecoder;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a client asks a silent server for a sign of life. */
final class ClientPingsTest {
    private static final int KIND_AT = 4;

    private final ManualClock clock = new ManualClock();
    private final ClientHandler handler;
    private final EmbeddedChannel channel;

    ClientPingsTest() throws Exception {
        RpcSettings settings = RpcSettings.from(
                Settings.of(Map.of("tatami.rpc.ping.interval", "10s", "tatami.rpc.silence.max", "60s")));
        InetSocketAddress server = new InetSocketAddress("127.0.0.1", 1);
        ClientIdentity identity = ClientIdentity.simple("quiet", UserIdentity.of("anna"));
        FrameDecoder decoder = new FrameDecoder(settings.frameBytesMax(), clock);
        handler = new ClientHandler(new ConnectTarget(server, server, identity, settings, clock, 0));
        channel = EmbeddedChannel.builder().handlers(decoder, handler).build();
        channel.freezeTime();
        channel.writeInbound(Unpooled.wrappedBuffer(
                RawPeer.frame(FrameKind.WELCOME, RawPeer.welcome().build())));
        assertEquals(0, sent(FrameKind.PING, 1));
    }

    /** How many frames of a kind came in these seconds. */
    private int sent(FrameKind kind, int seconds) {
        int count = 0;
        for (int i = 0; i < seconds; i++) {
            clock.advance(Duration.ofSeconds(1));
            channel.advanceTimeBy(1, TimeUnit.SECONDS);
            channel.runScheduledPendingTasks();
            ByteBuf frame = channel.readOutbound();
            while (frame != null) {
                count += frame.getByte(KIND_AT) == kind.number() ? 1 : 0;
                frame.release();
                frame = channel.readOutbound();
            }
        }
        return count;
    }

    @Test
    void anIdleClientAsksAfterAThirdOfTheSilenceThatIsAllowed() {
        assertEquals(0, sent(FrameKind.PING, 18));
        assertEquals(1, sent(FrameKind.PING, 10));
    }

    @Test
    void aClientThatWaitsForAnAnswerAsksAfterThePingInterval() throws Exception {
        Connection connection = handler.ready().get(0, TimeUnit.SECONDS);
        CompletableFuture<StringValue> unused =
                connection.call(EchoService.PARK, CallOptions.DEFAULT.withTimeoutMillis(0), StringValue.of("x"));
        channel.runPendingTasks();
        assertEquals(0, sent(FrameKind.PING, 8));
        assertEquals(1, sent(FrameKind.PING, 8));
    }
}
