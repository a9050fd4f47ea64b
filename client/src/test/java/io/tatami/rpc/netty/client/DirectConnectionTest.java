package io.tatami.rpc.netty.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.StringValue;
import io.netty.channel.epoll.Epoll;
import io.tatami.base.Clock;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.Goodbye;
import io.tatami.protocol.wire.ReplyHeader;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.EchoService;
import io.tatami.rpc.Futures;
import io.tatami.rpc.netty.RawPeer;
import io.tatami.rpc.netty.Rig;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers that read their replies themselves, on sockets. */
@Timeout(60)
final class DirectConnectionTest {
    private static final CallOptions OPTIONS = CallOptions.DEFAULT;
    private static final int PREFIX_BYTES = 20;

    @BeforeEach
    void onLinux() {
        assumeTrue(Epoll.isAvailable(), "callers wait for sockets of their own by epoll");
    }

    private static StringValue text(String value) {
        return StringValue.of(value);
    }

    private static String echo(ClientConnection connection, String value) throws TatamiException {
        return connection.callAndWait(EchoService.ECHO, OPTIONS, text(value)).getValue();
    }

    /** A connection on which calls are direct from now on. */
    private static ClientConnection direct(Rig rig) throws Exception {
        ClientConnection connection = (ClientConnection) rig.connect();
        for (int i = 0; connection.direct().opened() == 0; i++) {
            assertTrue(i < 100, "calls stay on the shared connection");
            assertEquals("x" + i, echo(connection, "x" + i));
        }
        return connection;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void callsOfMoreThreadsThanThereMayBeConnectionsEachGetTheirOwnReply(boolean local) throws Exception {
        try (Rig rig =
                new Rig(Map.of("tatami.rpc.local.socket", Boolean.toString(local), "tatami.rpc.direct.max", "4"))) {
            ClientConnection connection = direct(rig);
            long before = rig.service.handled.sum();
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int t = 0; t < 10; t++) {
                int thread = t;
                threads.add(CompletableFuture.runAsync(
                        () -> callMany(connection, thread), work -> new Thread(work).start()));
            }
            for (CompletableFuture<Void> thread : threads) {
                Futures.result(thread);
            }
            assertEquals(before + 10 * 300, rig.service.handled.sum());
            assertTrue(
                    connection.direct().opened() <= 4,
                    "opened: " + connection.direct().opened());
        }
    }

    private static void callMany(ClientConnection connection, int thread) {
        try {
            for (int i = 0; i < 300; i++) {
                assertEquals(thread + "/" + i, echo(connection, thread + "/" + i));
            }
        } catch (TatamiException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aClientThatMayOpenNoneSharesOneConnection() throws Exception {
        try (Rig rig = new Rig(Map.of("tatami.rpc.direct.max", "0"))) {
            ClientConnection connection = (ClientConnection) rig.connect();
            for (int i = 0; i < 100; i++) {
                assertEquals("x" + i, echo(connection, "x" + i));
            }
            assertEquals(0, connection.direct().opened());
        }
    }

    @Test
    void messagesLongerThanAnyBufferGoBothWays() throws Exception {
        try (Rig rig = new Rig()) {
            ClientConnection connection = direct(rig);
            String longText = "long ".repeat(700_000);
            assertEquals(longText, echo(connection, longText));
            assertEquals(
                    4_000_000,
                    connection
                            .callAndWait(EchoService.LARGE, OPTIONS, text("4000000"))
                            .getValue()
                            .size());
            assertEquals("short", echo(connection, "short"));
            assertEquals(1, connection.direct().opened());
        }
    }

    @Test
    void aRefusalIsOfItsCallOnly() throws Exception {
        try (Rig rig = new Rig()) {
            ClientConnection connection = direct(rig);
            TatamiException refusal = assertThrows(
                    TatamiException.class,
                    () -> connection.callAndWait(EchoService.FAIL, OPTIONS, text("ask another")));
            assertEquals(ErrorCode.NOT_LEADER, refusal.code());
            assertEquals("ask another", refusal.getMessage());
            assertEquals(new Detail.Leader("host", 1), refusal.detail());
            StringValue huge = text("x".repeat((4 << 20) + 1));
            TatamiException tooLong =
                    assertThrows(TatamiException.class, () -> connection.callAndWait(EchoService.ECHO, OPTIONS, huge));
            assertEquals(ErrorCode.INVALID_ARGUMENT, tooLong.code());
            assertEquals("x", echo(connection, "x"));
            assertEquals(1, connection.direct().opened());
        }
    }

    @Test
    void aCallEndsWithItsTimeAndItsReplyIsNobodyElses() throws Exception {
        try (Rig rig = new Rig()) {
            ClientConnection connection = direct(rig);
            TatamiException late = assertThrows(
                    TatamiException.class,
                    () -> connection.callAndWait(EchoService.PARK, OPTIONS.withTimeoutMillis(30), text("")));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, late.code());
            assertEquals(0, connection.direct().opened());
            assertEquals(1, rig.service.answerParked("too late"));
            assertEquals("x", echo(connection, "x"));
            assertEquals(1, connection.direct().opened());
        }
    }

    @Test
    void anInterruptEndsACallAndStaysSet() throws Exception {
        try (Rig rig = new Rig()) {
            ClientConnection connection = direct(rig);
            Thread.currentThread().interrupt();
            TatamiException cancelled = assertThrows(
                    TatamiException.class, () -> connection.callAndWait(EchoService.PARK, OPTIONS, text("")));
            assertTrue(Thread.interrupted());
            assertEquals(ErrorCode.CANCELLED, cancelled.code());
            assertEquals("x", echo(connection, "x"));
        }
    }

    @Test
    void callsInFlightFailWhenTheirClientIsClosed() throws Exception {
        try (Rig rig = new Rig()) {
            ClientConnection connection = direct(rig);
            CompletableFuture<ErrorCode> parked = parkedCall(connection);
            while (rig.service.parked.isEmpty()) {
                Thread.onSpinWait();
            }
            connection.close();
            assertEquals(ErrorCode.UNAVAILABLE, Futures.result(parked));
            assertEquals(0, connection.direct().opened());
            TatamiException after = assertThrows(TatamiException.class, () -> echo(connection, "x"));
            assertEquals(ErrorCode.UNAVAILABLE, after.code());
        }
    }

    private static CompletableFuture<ErrorCode> parkedCall(ClientConnection connection) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                connection.callAndWait(EchoService.PARK, OPTIONS, text(""));
                throw new AssertionError("answered");
            } catch (TatamiException e) {
                return e.code();
            }
        });
    }

    @Test
    void aServerThatStopsAnswersCallsInFlightAndIsGoneForTheNext() throws Exception {
        try (Rig rig = new Rig()) {
            ClientConnection connection = direct(rig);
            CompletableFuture<String> parked = CompletableFuture.supplyAsync(() -> {
                try {
                    return connection
                            .callAndWait(EchoService.PARK, OPTIONS, text(""))
                            .getValue();
                } catch (TatamiException e) {
                    throw new AssertionError(e);
                }
            });
            while (rig.service.parked.isEmpty()) {
                Thread.onSpinWait();
            }
            CompletableFuture<Void> stopping = CompletableFuture.runAsync(rig.server::close);
            rig.service.answerParked("done");
            assertEquals("done", Futures.result(parked));
            Futures.result(stopping);
            TatamiException after = assertThrows(TatamiException.class, () -> echo(connection, "x"));
            assertEquals(ErrorCode.UNAVAILABLE, after.code());
        }
    }

    @Test
    void oneThatWasIdleForLongIsNotUsedAgain() throws Exception {
        ManualClock clock = new ManualClock();
        try (Rig rig = new Rig(Map.of("tatami.rpc.ping.interval", "20s"), clock)) {
            ClientConnection connection = direct(rig);
            DirectConnections.Line line = connection.direct().line(OPTIONS);
            DirectConnection first = line.take();
            assertNotNull(first);
            line.giveBack(first);
            clock.advance(Duration.ofSeconds(19));
            connection.direct().closeStale();
            assertEquals(1, connection.direct().opened());
            clock.advance(Duration.ofSeconds(2));
            connection.direct().closeStale();
            assertEquals(0, connection.direct().opened());
        }
    }

    /** What a call does whose server greets and then answers with whatever it is given; and it is the last one. */
    private static <T> T lastCall(byte[] answer, Course<T> course) throws Exception {
        RpcSettings settings = RpcSettings.from(Settings.of(Map.of("tatami.rpc.frame.max", "64k")));
        try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<Void> server = CompletableFuture.runAsync(() -> {
                try (RawPeer peer = new RawPeer(listening.accept())) {
                    peer.expect(FrameKind.HELLO);
                    peer.send(RawPeer.frame(FrameKind.WELCOME, RawPeer.welcome().build()));
                    peer.expect(FrameKind.REQUEST);
                    peer.send(answer);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            InetSocketAddress address = (InetSocketAddress) listening.getLocalSocketAddress();
            ClientIdentity identity = ClientIdentity.simple("direct", UserIdentity.of("anna"));
            ConnectTarget dial = new ConnectTarget(address, address, identity, settings, Clock.SYSTEM, 1);
            try (DirectConnection connection = DirectConnection.open(dial, Rig.CLUSTER, null, () -> false)) {
                T outcome = course.of(connection);
                assertFalse(connection.isReusable());
                Futures.result(server);
                return outcome;
            }
        }
    }

    private interface Course<T> {
        T of(DirectConnection connection) throws TatamiException;
    }

    private static String answerOf(DirectConnection connection) throws TatamiException {
        return connection.call(EchoService.ECHO, OPTIONS, text("x")).getValue();
    }

    private static TatamiException failureAfter(byte[] answer) throws Exception {
        return lastCall(answer, connection -> assertThrows(TatamiException.class, () -> answerOf(connection)));
    }

    private static byte[] reply(int callId, ByteString body) {
        return RawPeer.frame(
                FrameKind.REPLY.number(),
                callId,
                ReplyHeader.getDefaultInstance().toByteString(),
                body,
                new byte[0]);
    }

    @Test
    void whatNoServerSendsEndsTheConnectionWithItsReason() throws Exception {
        byte[] good = reply(1, text("x").toByteString());
        assertEquals(
                ErrorCode.MALFORMED,
                failureAfter(reply(2, text("x").toByteString())).code());
        assertEquals(
                ErrorCode.MALFORMED,
                failureAfter(reply(1, ByteString.copyFrom(new byte[] {10, 5, 'x'})))
                        .code());
        assertEquals(
                ErrorCode.MALFORMED,
                failureAfter(RawPeer.frame(FrameKind.WELCOME, RawPeer.welcome().build()))
                        .code());
        assertEquals(ErrorCode.MALFORMED, failureAfter(new byte[20]).code());
        assertEquals(
                ErrorCode.MALFORMED,
                failureAfter(reply(1, ByteString.copyFrom(new byte[70_000]))).code());
        assertEquals(ErrorCode.UNAVAILABLE, failureAfter(new byte[0]).code());
        assertEquals(
                ErrorCode.UNAVAILABLE,
                failureAfter(Arrays.copyOf(good, good.length - 1)).code());
        Goodbye goodbye = Goodbye.newBuilder()
                .setError(ErrorCode.DEADLINE_EXCEEDED.number())
                .setMessage("the client has been silent for too long")
                .build();
        TatamiException left = failureAfter(RawPeer.frame(FrameKind.GOODBYE, goodbye));
        assertEquals(ErrorCode.UNAVAILABLE, left.code());
        String message = String.valueOf(left.getMessage());
        assertTrue(message.endsWith("was lost: the client has been silent for too long"), message);
    }

    @Test
    void aServerThatAnswersAndLeavesIsHeardButNotAskedAgain() throws Exception {
        byte[] answer = reply(1, text("x").toByteString());
        byte[] goodbye = RawPeer.frame(FrameKind.GOODBYE, Goodbye.getDefaultInstance());
        byte[] both = Arrays.copyOf(answer, answer.length + goodbye.length);
        System.arraycopy(goodbye, 0, both, answer.length, goodbye.length);
        assertEquals("x", lastCall(both, DirectConnectionTest::answerOf));
    }

    @Test
    void noBytesMakeACallHangOrReturnTheWrongReply() throws Exception {
        Random random = new Random(20_261_125L);
        byte[] good = reply(1, text("x").toByteString());
        for (int i = 0; i < 200; i++) {
            byte[] bad = good.clone();
            bad[random.nextInt(PREFIX_BYTES)] ^= (byte) (1 << random.nextInt(8));
            ErrorCode code = failureAfter(bad).code();
            assertTrue(code == ErrorCode.MALFORMED || code == ErrorCode.UNAVAILABLE, "round " + i + ": " + code);
        }
    }
}
