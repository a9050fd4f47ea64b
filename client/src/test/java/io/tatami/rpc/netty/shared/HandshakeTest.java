package io.tatami.rpc.netty.shared;

import static io.tatami.rpc.Futures.failure;
import static io.tatami.rpc.Futures.result;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.StringValue;
import io.tatami.base.ErrorCode;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.wire.Goodbye;
import io.tatami.protocol.wire.Hello;
import io.tatami.protocol.wire.ReplyHeader;
import io.tatami.protocol.wire.RequestHeader;
import io.tatami.protocol.wire.Welcome;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.EchoService;
import io.tatami.rpc.netty.RawPeer;
import io.tatami.rpc.netty.Rig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The first frames of a connection, and its silence, seen from a peer that speaks for itself. */
@Timeout(60)
final class HandshakeTest {
    private static Goodbye goodbyeTo(Rig rig, Hello hello) throws IOException {
        try (RawPeer peer = RawPeer.connect(rig.address)) {
            peer.send(RawPeer.frame(FrameKind.HELLO, hello));
            Goodbye goodbye = Goodbye.parseFrom(peer.expect(FrameKind.GOODBYE).body());
            assertNull(peer.read());
            return goodbye;
        }
    }

    private static ServerSocket listen() throws IOException {
        return new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    }

    private static InetSocketAddress addressOf(ServerSocket server) {
        return new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
    }

    @Test
    void aClientOfLaterVersionsIsToldWhichVersionsEachSideSpeaks() throws Exception {
        try (Rig rig = new Rig()) {
            Goodbye goodbye = goodbyeTo(
                    rig, RawPeer.hello().setOldestVersion(2).setNewestVersion(7).build());
            assertEquals(ErrorCode.PROTOCOL_VERSION.number(), goodbye.getError());
            assertEquals(
                    "the server the test server speaks protocol versions 1, the client raw speaks 2 to 7",
                    goodbye.getMessage());
        }
    }

    @Test
    void aClientThatAlsoSpeaksLaterVersionsIsWelcomeInOurs() throws Exception {
        try (Rig rig = new Rig();
                RawPeer peer = RawPeer.connect(rig.address)) {
            peer.send(RawPeer.frame(
                    FrameKind.HELLO, RawPeer.hello().setNewestVersion(9).build()));
            Welcome welcome = Welcome.parseFrom(peer.expect(FrameKind.WELCOME).body());
            assertEquals(1, welcome.getVersion());
            assertEquals(Handshake.toBytes(Rig.CLUSTER), welcome.getClusterId());
        }
    }

    @Test
    void aWrongMagicOrClusterIdIsMalformed() throws Exception {
        try (Rig rig = new Rig()) {
            assertEquals(
                    ErrorCode.MALFORMED.number(),
                    goodbyeTo(rig, RawPeer.hello().setMagic(1).build()).getError());
            assertEquals(
                    ErrorCode.MALFORMED.number(),
                    goodbyeTo(
                                    rig,
                                    RawPeer.hello()
                                            .setClusterId(ByteString.copyFromUtf8("short"))
                                            .build())
                            .getError());
        }
    }

    @Test
    void aClientTakesTheServersRefusalAsItsFailure() throws Exception {
        try (Rig rig = new Rig();
                ServerSocket old = listen()) {
            CompletableFuture<Connection> connecting = rig.client.connect(addressOf(old));
            try (RawPeer peer = new RawPeer(old.accept())) {
                peer.expect(FrameKind.HELLO);
                peer.send(RawPeer.frame(
                        FrameKind.GOODBYE,
                        Goodbye.newBuilder()
                                .setError(ErrorCode.PROTOCOL_VERSION.number())
                                .setMessage("too new for me")
                                .build()));
                TatamiException failure = failure(connecting);
                assertEquals(ErrorCode.PROTOCOL_VERSION, failure.code());
                assertEquals("too new for me", failure.getMessage());
            }
        }
    }

    @Test
    void aServerThatChoosesAVersionWeDoNotSpeakIsLeft() throws Exception {
        try (Rig rig = new Rig();
                ServerSocket strange = listen()) {
            CompletableFuture<Connection> connecting = rig.client.connect(addressOf(strange));
            try (RawPeer peer = new RawPeer(strange.accept())) {
                peer.expect(FrameKind.HELLO);
                peer.send(RawPeer.frame(
                        FrameKind.WELCOME, RawPeer.welcome().setVersion(2).build()));
                assertEquals(ErrorCode.PROTOCOL_VERSION, failure(connecting).code());
                assertNull(peer.read());
            }
        }
    }

    @Test
    void theServersLimitsBindTheClient() throws Exception {
        try (Rig rig = new Rig();
                ServerSocket small = listen()) {
            CompletableFuture<Connection> connecting = rig.client.connect(addressOf(small));
            try (RawPeer peer = new RawPeer(small.accept())) {
                peer.expect(FrameKind.HELLO);
                peer.send(RawPeer.frame(
                        FrameKind.WELCOME,
                        RawPeer.welcome()
                                .setFrameBytesMax(64 << 10)
                                .setInflightRequestsMax(1)
                                .build()));
                Connection connection = result(connecting);
                CompletableFuture<StringValue> large =
                        connection.call(EchoService.ECHO, CallOptions.DEFAULT, StringValue.of("x".repeat(70_000)));
                assertEquals(ErrorCode.INVALID_ARGUMENT, failure(large).code());
                CompletableFuture<StringValue> first =
                        connection.call(EchoService.ECHO, CallOptions.DEFAULT, StringValue.of("first"));
                CompletableFuture<StringValue> second =
                        connection.call(EchoService.ECHO, CallOptions.DEFAULT, StringValue.of("second"));
                answer(peer, "one");
                answer(peer, "two");
                assertEquals("one", result(first).getValue());
                assertEquals("two", result(second).getValue());
            }
        }
    }

    private static void answer(RawPeer peer, String text) throws IOException {
        RawPeer.RawFrame request = peer.expect(FrameKind.REQUEST);
        peer.send(RawPeer.frame(
                FrameKind.REPLY.number(),
                request.callId(),
                ByteString.EMPTY,
                StringValue.of(text).toByteString(),
                new byte[0]));
    }

    @Test
    void aClientAsksASilentServerForASignOfLifeAndThenGivesUp() throws Exception {
        ManualClock clock = new ManualClock();
        Map<String, String> settings = Map.of("tatami.rpc.ping.interval", "40ms", "tatami.rpc.silence.max", "100ms");
        try (ServerSocket silent = listen();
                Rig rig = new Rig(settings, clock)) {
            CompletableFuture<Connection> connecting = rig.client.connect(addressOf(silent));
            try (RawPeer peer = new RawPeer(silent.accept())) {
                peer.expect(FrameKind.HELLO);
                peer.send(RawPeer.frame(FrameKind.WELCOME, RawPeer.welcome().build()));
                Connection connection = result(connecting);
                CompletableFuture<StringValue> call = connection.call(
                        EchoService.ECHO, CallOptions.DEFAULT.withTimeoutMillis(0), StringValue.of("x"));
                peer.expect(FrameKind.REQUEST);
                for (int i = 0; i < 5; i++) {
                    clock.advance(Duration.ofMillis(60));
                    RawPeer.RawFrame ping = peer.expect(FrameKind.PING);
                    peer.send(RawPeer.frame(
                            FrameKind.PONG.number(), ping.callId(), ByteString.EMPTY, ByteString.EMPTY, new byte[0]));
                    // Its answer shows that the PONG before it was heard.
                    peer.send(
                            RawPeer.frame(FrameKind.PING.number(), 5, ByteString.EMPTY, ByteString.EMPTY, new byte[0]));
                    assertEquals(5, peer.expect(FrameKind.PONG).callId());
                }
                assertTrue(connection.isOpen());
                clock.advance(Duration.ofMillis(200));
                TatamiException failure = failure(call);
                assertEquals(ErrorCode.UNAVAILABLE, failure.code());
                assertEquals(
                        "the connection to " + addressOf(silent) + " was lost: the server has been silent for too long",
                        failure.getMessage());
                result(connection.closed());
            }
        }
    }

    @Test
    void aServerLeavesAClientThatDoesNotGreet() throws Exception {
        ManualClock clock = new ManualClock();
        try (Rig rig = new Rig(Map.of("tatami.rpc.handshake.timeout", "100ms"), clock);
                RawPeer mute = RawPeer.connect(rig.address)) {
            // More than once, because the server may come to the new connection only after the first.
            while (!mute.hasInput()) {
                clock.advance(Duration.ofMillis(120));
                Thread.onSpinWait();
            }
            Goodbye goodbye = Goodbye.parseFrom(mute.expect(FrameKind.GOODBYE).body());
            assertEquals("the client sent no HELLO within the time limit", goodbye.getMessage());
        }
    }

    @Test
    void aServerLeavesAClientThatFallsSilent() throws Exception {
        ManualClock clock = new ManualClock();
        try (Rig rig = new Rig(Map.of("tatami.rpc.silence.max", "150ms"), clock);
                RawPeer silent = RawPeer.connect(rig.address).greet()) {
            silent.send(RawPeer.request(1, EchoService.ECHO.number(), StringValue.of("x")));
            silent.expect(FrameKind.REPLY);
            clock.advance(Duration.ofMillis(200));
            assertEquals(
                    "the client has been silent for too long",
                    Goodbye.parseFrom(silent.expect(FrameKind.GOODBYE).body()).getMessage());
        }
    }

    @Test
    void aRequestThatWaitedPastItsDeadlineIsRefused() throws Exception {
        ManualClock clock = new ManualClock();
        try (Rig rig = new Rig(Map.of("tatami.rpc.inflight.max", "1"), clock);
                RawPeer peer = RawPeer.connect(rig.address).greet()) {
            // Two parked requests are one above the limit, so the third is not taken from the network's bytes.
            byte[] three = new byte[0];
            three = concat(three, RawPeer.request(1, EchoService.PARK.number(), StringValue.of("")));
            three = concat(three, RawPeer.request(2, EchoService.PARK.number(), StringValue.of("")));
            three = concat(three, withDeadline(3, 500));
            peer.send(three);
            while (rig.service.parked.size() < 2) {
                Thread.onSpinWait();
            }
            assertEquals(0, rig.service.handled.sum());
            clock.advance(Duration.ofSeconds(1));
            rig.service.answerParked("done");
            Map<Integer, Integer> errors = new HashMap<>();
            for (int i = 0; i < 3; i++) {
                RawPeer.RawFrame reply = peer.expect(FrameKind.REPLY);
                errors.put(reply.callId(), ReplyHeader.parseFrom(reply.header()).getError());
            }
            assertEquals(Map.of(1, 0, 2, 0, 3, ErrorCode.DEADLINE_EXCEEDED.number()), errors);
            assertEquals(0, rig.service.handled.sum());
        }
    }

    private static byte[] withDeadline(int callId, int millis) {
        return RawPeer.frame(
                FrameKind.REQUEST.number(),
                callId,
                RequestHeader.newBuilder()
                        .setProtocolVersion(1)
                        .setMethod(EchoService.ECHO.number())
                        .setDeadlineMillis(millis)
                        .build()
                        .toByteString(),
                ByteString.EMPTY,
                new byte[0]);
    }

    private static byte[] concat(byte[] left, byte[] right) {
        byte[] both = Arrays.copyOf(left, left.length + right.length);
        System.arraycopy(right, 0, both, left.length, right.length);
        return both;
    }
}
