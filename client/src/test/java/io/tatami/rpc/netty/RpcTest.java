package io.tatami.rpc.netty;

import static io.tatami.rpc.Futures.failure;
import static io.tatami.rpc.Futures.result;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.StringValue;
import io.netty.buffer.Unpooled;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.EchoService;
import io.tatami.rpc.Lane;
import io.tatami.rpc.Recorder;
import io.tatami.rpc.RpcStream;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class RpcTest {
    private static StringValue text(String value) {
        return StringValue.of(value);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void callsOfManyThreadsEachGetTheirOwnReply(boolean epoll) throws Exception {
        try (Rig rig = new Rig(Map.of(), epoll)) {
            Connection connection = rig.connect();
            List<CompletableFuture<Void>> threads = new ArrayList<>();
            for (int t = 0; t < 8; t++) {
                int thread = t;
                threads.add(CompletableFuture.runAsync(() -> callMany(connection, thread)));
            }
            for (CompletableFuture<Void> thread : threads) {
                result(thread);
            }
            assertEquals(8 * 500, rig.service.handled.sum());
        }
    }

    private static void callMany(Connection connection, int thread) {
        List<CompletableFuture<StringValue>> replies = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            replies.add(connection.call(EchoService.ECHO, CallOptions.DEFAULT, text(thread + "/" + i)));
        }
        for (int i = 0; i < replies.size(); i++) {
            assertEquals(thread + "/" + i, replies.get(i).join().getValue());
        }
    }

    @Test
    void anAddressAndLaneShareAConnectionWhileItIsOpen() throws Exception {
        try (Rig rig = new Rig()) {
            Connection first = rig.connect();
            assertSame(first, rig.connect());
            assertNotSame(first, rig.connect(Lane.bulk(0)));
            first.close();
            result(first.closed());
            Connection second = rig.connect();
            assertNotSame(first, second);
            assertEquals(
                    "x",
                    second.callAndWait(EchoService.ECHO, CallOptions.DEFAULT, text("x"))
                            .getValue());
            assertEquals(
                    ErrorCode.UNAVAILABLE,
                    failure(first.call(EchoService.ECHO, CallOptions.DEFAULT, text("x")))
                            .code());
        }
    }

    @Test
    void aFailureKeepsCodeMessageAndDetail() throws Exception {
        try (Rig rig = new Rig()) {
            Connection connection = rig.connect();
            TatamiException failure = assertThrows(
                    TatamiException.class,
                    () -> connection.callAndWait(EchoService.FAIL, CallOptions.DEFAULT, text("ask another")));
            assertEquals(ErrorCode.NOT_LEADER, failure.code());
            assertEquals("ask another", failure.getMessage());
            assertEquals(new Detail.Leader("host", 1), failure.detail());
        }
    }

    @Test
    void aHandlerThatThrowsAndAMethodNotServedAreErrorsOfTheirCallOnly() throws Exception {
        try (Rig rig = new Rig()) {
            Connection connection = rig.connect();
            assertEquals(
                    ErrorCode.INTERNAL,
                    failure(connection.call(EchoService.THROW, CallOptions.DEFAULT, text("")))
                            .code());
            assertEquals(
                    ErrorCode.UNSUPPORTED,
                    failure(connection.call(EchoService.UNSERVED, CallOptions.DEFAULT, text("")))
                            .code());
            assertEquals(
                    "x",
                    connection
                            .callAndWait(EchoService.ECHO, CallOptions.DEFAULT, text("x"))
                            .getValue());
        }
    }

    @Test
    void messagesTooLongForAFrameAreErrorsOfTheirCallOnly() throws Exception {
        try (Rig rig = new Rig()) {
            Connection connection = rig.connect();
            StringValue huge = text("x".repeat((4 << 20) + 1));
            assertEquals(
                    ErrorCode.INVALID_ARGUMENT,
                    failure(connection.call(EchoService.ECHO, CallOptions.DEFAULT, huge))
                            .code());
            assertEquals(
                    ErrorCode.INVALID_ARGUMENT,
                    failure(connection.call(EchoService.LARGE, CallOptions.DEFAULT, text("5000000")))
                            .code());
            assertEquals(
                    4_000_000,
                    connection
                            .callAndWait(EchoService.LARGE, CallOptions.DEFAULT, text("4000000"))
                            .getValue()
                            .size());
        }
    }

    @Test
    void theHandlerSeesWhoAsksAndWhatTheHeaderSaid() throws Exception {
        try (Rig rig = new Rig()) {
            Connection connection = rig.connect();
            CallOptions options = CallOptions.DEFAULT
                    .withGroup(GroupId.ofShard(3))
                    .withNumber(new SessionId(7), 9, 8)
                    .withCredential(ByteString.copyFromUtf8("secret"))
                    .withTimeoutMillis(50_000);
            CompletableFuture<StringValue> reply = connection.call(EchoService.PARK, options, text(""));
            CallOptions bare = CallOptions.DEFAULT.withTimeoutMillis(0);
            CompletableFuture<StringValue> second = connection.call(EchoService.PARK, bare, text(""));
            connection.callAndWait(EchoService.ECHO, CallOptions.DEFAULT, text("after both"));
            assertEquals(2, rig.service.answerParked("done"));
            assertEquals("done", result(reply).getValue());
            assertEquals("done", result(second).getValue());

            CallContext context = rig.service.contexts.remove();
            assertEquals(new UserIdentity("anna", "proxy"), context.user());
            assertTrue(context.peer().sameHost());
            assertEquals("the test client", context.peer().clientName());
            long left = context.options().timeoutMillis();
            assertTrue(left > 0 && left <= 50_000, "left: " + left);
            assertEquals(options.withTimeoutMillis(left), context.options());
            assertTrue(context.hasDeadline());
            CallContext bareContext = rig.service.contexts.remove();
            assertEquals(bare, bareContext.options());
            assertFalse(bareContext.hasDeadline());
        }
    }

    @Test
    void aCallEndsWithItsTimeAndALateAnswerIsDropped() throws Exception {
        try (Rig rig = new Rig()) {
            Connection connection = rig.connect();
            CompletableFuture<StringValue> reply =
                    connection.call(EchoService.PARK, CallOptions.DEFAULT.withTimeoutMillis(30), text(""));
            assertEquals(ErrorCode.DEADLINE_EXCEEDED, failure(reply).code());
            connection.callAndWait(EchoService.ECHO, CallOptions.DEFAULT, text("the request is there"));
            assertEquals(1, rig.service.answerParked("too late"));
            assertEquals(
                    "x",
                    connection
                            .callAndWait(EchoService.ECHO, CallOptions.DEFAULT, text("x"))
                            .getValue());
        }
    }

    @Test
    void requestsBeyondTheLimitWaitInTurnAndThenAreRefused() throws Exception {
        try (Rig rig = new Rig(Map.of("tatami.rpc.inflight.max", "4", "tatami.rpc.waiting.max", "3"))) {
            Connection connection = rig.connect();
            List<CompletableFuture<StringValue>> calls = new ArrayList<>();
            for (int i = 0; i < 7; i++) {
                calls.add(connection.call(EchoService.PARK, CallOptions.DEFAULT, text("")));
            }
            assertEquals(
                    ErrorCode.BUSY,
                    failure(connection.call(EchoService.PARK, CallOptions.DEFAULT, text("")))
                            .code());
            assertEquals(
                    ErrorCode.DEADLINE_EXCEEDED,
                    assertThrows(
                                    TatamiException.class,
                                    () -> connection.callAndWait(
                                            EchoService.ECHO, CallOptions.DEFAULT.withTimeoutMillis(20), text("")))
                            .code());
            int answered = 0;
            while (answered < 7) {
                answered += rig.service.answerParked("done");
                Thread.onSpinWait();
            }
            for (CompletableFuture<StringValue> call : calls) {
                assertEquals("done", result(call).getValue());
            }
        }
    }

    @Test
    void cancellingACallThatWaitsMakesRoom() throws Exception {
        try (Rig rig = new Rig(Map.of("tatami.rpc.inflight.max", "1", "tatami.rpc.waiting.max", "1"))) {
            Connection connection = rig.connect();
            CompletableFuture<StringValue> parked = connection.call(EchoService.PARK, CallOptions.DEFAULT, text(""));
            CompletableFuture<StringValue> waiting = connection.call(EchoService.PARK, CallOptions.DEFAULT, text(""));
            assertTrue(waiting.cancel(true));
            assertTrue(parked.cancel(true));
            assertEquals(
                    "x",
                    connection
                            .callAndWait(EchoService.ECHO, CallOptions.DEFAULT, text("x"))
                            .getValue());
        }
    }

    @Test
    void aStreamCarriesMessagesAndPayloadsOfAnySizeInOrder() throws Exception {
        try (Rig rig = new Rig()) {
            Random random = new Random(5);
            Recorder recorder = new Recorder();
            RpcStream<StringValue> stream =
                    rig.connect(Lane.bulk(0)).openStream(EchoService.MIRROR, CallOptions.DEFAULT, text(""), recorder);
            List<byte[]> sent = new ArrayList<>();
            long bytes = 0;
            for (int i = 0; i < 200; i++) {
                byte[] payload = new byte[random.nextInt(i % 10 == 0 ? 2 << 20 : 5000)];
                random.nextBytes(payload);
                sent.add(payload);
                bytes += payload.length;
                stream.awaitWritable(20_000);
                stream.sendAndRelease(text("m" + i), Unpooled.wrappedBuffer(payload));
            }
            stream.send(text("end"));
            assertEquals(bytes, result(recorder.end));
            for (int i = 0; i < sent.size(); i++) {
                assertEquals("m" + i, recorder.messages.get(i));
                assertArrayEquals(sent.get(i), recorder.payloads.get(i));
            }
        }
    }

    @Test
    void aStreamOpenedBeyondTheLimitSendsNothingBeforeItsRequest() throws Exception {
        try (Rig rig = new Rig(Map.of("tatami.rpc.inflight.max", "1"))) {
            Connection connection = rig.connect();
            CompletableFuture<StringValue> parked = connection.call(EchoService.PARK, CallOptions.DEFAULT, text(""));
            Recorder recorder = new Recorder();
            RpcStream<StringValue> stream =
                    connection.openStream(EchoService.MIRROR, CallOptions.DEFAULT, text(""), recorder);
            stream.sendAndRelease(text("first"), Unpooled.wrappedBuffer(new byte[10]));
            stream.send(text("end"));
            while (!parked.isDone()) {
                rig.service.answerParked("done");
                Thread.onSpinWait();
            }
            assertEquals(10L, result(recorder.end));
            assertEquals(List.of("first"), recorder.messages);
        }
    }

    @Test
    void aCancelledStreamEndsOnBothSides() throws Exception {
        try (Rig rig = new Rig()) {
            Recorder recorder = new Recorder();
            Connection connection = rig.connect();
            RpcStream<StringValue> stream =
                    connection.openStream(EchoService.MIRROR, CallOptions.DEFAULT, text(""), recorder);
            stream.cancel("enough");
            assertEquals(ErrorCode.CANCELLED, failure(recorder.end).code());
            connection.callAndWait(EchoService.ECHO, CallOptions.DEFAULT, text("the cancellation is there"));
            assertEquals(ErrorCode.CANCELLED, result(rig.service.cancelled).code());
            stream.sendAndRelease(text("dropped"), Unpooled.wrappedBuffer(new byte[10]));
            assertThrows(TatamiException.class, () -> stream.awaitWritable(1000));
        }
    }

    @Test
    void aReceiverThatThrowsEndsItsStreamOnly() throws Exception {
        try (Rig rig = new Rig()) {
            Recorder recorder = new Recorder();
            Connection connection = rig.connect();
            connection
                    .openStream(EchoService.MIRROR, CallOptions.DEFAULT, text(""), recorder)
                    .send(text("throw"));
            assertEquals(ErrorCode.INTERNAL, failure(recorder.end).code());
            assertTrue(connection.isOpen());
        }
    }

    @Test
    void aSenderStopsAtTheMarkWhileThePeerTakesNothing() throws Exception {
        try (ServerSocket idle = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Rig rig = new Rig(Map.of("tatami.rpc.write.buffer", "64k"))) {
            CompletableFuture<Connection> connecting =
                    rig.client.connect((InetSocketAddress) idle.getLocalSocketAddress(), Lane.bulk(0));
            try (RawPeer peer = new RawPeer(idle.accept())) {
                peer.expect(FrameKind.HELLO);
                peer.send(RawPeer.frame(FrameKind.WELCOME, RawPeer.welcome().build()));
                RpcStream<StringValue> stream = result(connecting)
                        .openStream(EchoService.MIRROR, CallOptions.DEFAULT, text(""), new Recorder());
                AtomicInteger sent = new AtomicInteger();
                TatamiException full = assertThrows(TatamiException.class, () -> {
                    while (true) {
                        stream.awaitWritable(500);
                        stream.sendAndRelease(text("m"), Unpooled.wrappedBuffer(new byte[16 << 10]));
                        sent.incrementAndGet();
                    }
                });
                assertEquals(ErrorCode.DEADLINE_EXCEEDED, full.code());
                CountDownLatch writable = new CountDownLatch(1);
                stream.whenWritable(writable::countDown);
                peer.expect(FrameKind.REQUEST);
                for (int i = 0; i < sent.get(); i++) {
                    assertEquals(16 << 10, peer.expect(FrameKind.DATA).payload().length);
                }
                writable.await();
            }
        }
    }

    @Test
    void anotherClusterIsRefusedAndNamesBoth() throws Exception {
        try (Rig rig = new Rig();
                RpcClient stranger = rig.client(ClientIdentity.simple("stranger", UserIdentity.of("eve"))
                        .of(new UUID(3, 4)))) {
            TatamiException failure = failure(stranger.connect(rig.address));
            assertEquals(ErrorCode.WRONG_CLUSTER, failure.code());
            assertEquals(
                    "the server belongs to cluster " + Rig.CLUSTER + ", the client expects " + new UUID(3, 4),
                    failure.getMessage());
        }
    }

    @Test
    void aClientWithoutANameOrWithAnotherSchemeIsRefused() throws Exception {
        try (Rig rig = new Rig();
                RpcClient nobody = rig.client(ClientIdentity.simple("nobody", UserIdentity.of("")));
                RpcClient other = rig.client(new ClientIdentity("other", null, "TOKEN", ByteString.EMPTY))) {
            assertEquals(
                    ErrorCode.UNAUTHENTICATED,
                    failure(nobody.connect(rig.address)).code());
            assertEquals(
                    ErrorCode.UNAUTHENTICATED,
                    failure(other.connect(rig.address)).code());
        }
    }

    @Test
    void aServerThatStopsEndsStreamsAndAnswersCallsInFlightFirst() throws Exception {
        try (Rig rig = new Rig()) {
            Connection connection = rig.connect();
            Recorder recorder = new Recorder();
            connection
                    .openStream(EchoService.MIRROR, CallOptions.DEFAULT, text(""), recorder)
                    .send(text("m"));
            CompletableFuture<StringValue> parked = connection.call(EchoService.PARK, CallOptions.DEFAULT, text(""));
            connection.callAndWait(EchoService.ECHO, CallOptions.DEFAULT, text("the request is there"));
            CompletableFuture<Void> stopping = CompletableFuture.runAsync(rig.server::close);
            ErrorCode refusal = ErrorCode.BUSY;
            while (refusal != ErrorCode.UNAVAILABLE) {
                CompletableFuture<StringValue> late = connection
                        .call(EchoService.ECHO, CallOptions.DEFAULT, text(""))
                        .exceptionally(e -> text("refused"));
                refusal = result(late).getValue().equals("refused") ? ErrorCode.UNAVAILABLE : refusal;
            }
            assertEquals(ErrorCode.UNAVAILABLE, failure(recorder.end).code());
            assertEquals(ErrorCode.UNAVAILABLE, result(rig.service.cancelled).code());
            rig.service.answerParked("done");
            assertEquals("done", result(parked).getValue());
            result(stopping);
            result(connection.closed());
            assertEquals(
                    ErrorCode.UNAVAILABLE,
                    failure(rig.client.connect(rig.address)).code());
        }
    }

    @Test
    void callsInFlightFailWhenTheConnectionIsLost() throws Exception {
        try (Rig rig = new Rig()) {
            Connection connection = rig.connect();
            CompletableFuture<StringValue> parked = connection.call(EchoService.PARK, CallOptions.DEFAULT, text(""));
            Recorder recorder = new Recorder();
            RpcStream<StringValue> stream =
                    connection.openStream(EchoService.MIRROR, CallOptions.DEFAULT, text(""), recorder);
            connection.close();
            assertEquals(ErrorCode.UNAVAILABLE, failure(parked).code());
            assertEquals(ErrorCode.UNAVAILABLE, failure(recorder.end).code());
            assertThrows(TatamiException.class, () -> stream.awaitWritable(1000));
            assertFalse(connection.isOpen());
        }
    }
}
