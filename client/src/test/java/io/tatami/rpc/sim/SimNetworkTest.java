package io.tatami.rpc.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.netty.buffer.Unpooled;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.Connector;
import io.tatami.rpc.EchoService;
import io.tatami.rpc.Futures;
import io.tatami.rpc.Recorder;
import io.tatami.rpc.RpcStream;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class SimNetworkTest {
    private static final SocketAddress CLIENT = InetSocketAddress.createUnresolved("client", 1);
    private static final SocketAddress SERVER = InetSocketAddress.createUnresolved("server", 9480);
    private static final SimFaults ROUGH = new SimFaults(1_000, 5_000_000, 0.1, 0.1, 0.02);

    private final EchoService service = new EchoService();
    private final SimTime time = new SimTime();

    private SimNetwork network(long seed) {
        SimNetwork network = new SimNetwork(time, new Random(seed), new UUID(1, 2));
        network.serve(SERVER, service.handlers());
        return network;
    }

    private Connection connect(Connector connector) throws Exception {
        CompletableFuture<Connection> connecting = connector.connect(SERVER);
        assertTrue(time.runUntil(connecting::isDone));
        return Futures.result(connecting);
    }

    private static StringValue text(String value) {
        return StringValue.of(value);
    }

    @Test
    void callsAndFailuresPassAsOverSockets() throws Exception {
        Connection connection = connect(network(1).connector(CLIENT, UserIdentity.of("anna")));
        assertEquals(
                "x",
                connection
                        .callAndWait(EchoService.ECHO, CallOptions.DEFAULT, text("x"))
                        .getValue());
        TatamiException failure = assertThrows(
                TatamiException.class, () -> connection.callAndWait(EchoService.FAIL, CallOptions.DEFAULT, text("no")));
        assertEquals(ErrorCode.NOT_LEADER, failure.code());
        assertEquals(new Detail.Leader("host", 1), failure.detail());
        CompletableFuture<StringValue> unserved = connection.call(EchoService.UNSERVED, CallOptions.DEFAULT, text(""));
        assertEquals(ErrorCode.UNSUPPORTED, Futures.failure(ended(unserved)).code());
    }

    private <T> CompletableFuture<T> ended(CompletableFuture<T> future) {
        assertTrue(time.runUntil(future::isDone));
        return future;
    }

    @Test
    void messagesOfAStreamPassInOrder() throws Exception {
        Connection connection = connect(network(1).connector(CLIENT, UserIdentity.of("anna")));
        Recorder recorder = new Recorder();
        RpcStream<StringValue> stream =
                connection.openStream(EchoService.MIRROR, CallOptions.DEFAULT, text(""), recorder);
        stream.sendAndRelease(text("a"), Unpooled.wrappedBuffer(new byte[] {1, 2}));
        stream.sendAndRelease(text("b"), Unpooled.wrappedBuffer(new byte[] {3}));
        stream.send(text("end"));
        time.runUntilIdle();
        assertEquals(List.of("a", "b"), recorder.messages);
        assertArrayEquals(new byte[] {1, 2}, recorder.payloads.get(0));
        assertEquals(3L, Futures.result(recorder.end));
    }

    @Test
    void everyCallEndsWhateverIsLostAndSomeArriveTwice() throws Exception {
        SimNetwork network = network(7);
        Connector connector = network.connector(CLIENT, UserIdentity.of("anna"));
        network.faults(ROUGH);
        int done = 0;
        int failed = 0;
        for (int i = 0; i < 2000; i++) {
            CompletableFuture<Connection> connecting = ended(connector.connect(SERVER));
            CompletableFuture<StringValue> call =
                    Futures.result(connecting).call(EchoService.ECHO, CallOptions.DEFAULT, text("x"));
            if (ended(call.handle((reply, e) -> e == null)).join()) {
                done++;
            } else {
                failed++;
            }
        }
        time.runUntilIdle();
        assertTrue(done > 1200 && failed > 300, done + " done, " + failed + " failed");
        assertTrue(service.handled.sum() > done, "no request arrived twice");
    }

    @Test
    void theSameSeedIsTheSameRun() throws Exception {
        assertEquals(history(11), history(11));
        assertNotEquals(history(11), history(12));
    }

    private String history(long seed) throws Exception {
        SimTime own = new SimTime();
        SimNetwork network = new SimNetwork(own, new Random(seed), new UUID(1, 2));
        network.serve(SERVER, new EchoService().handlers());
        network.faults(ROUGH);
        Connector connector = network.connector(CLIENT, UserIdentity.of("anna"));
        StringBuilder history = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            CompletableFuture<Connection> connecting = connector.connect(SERVER);
            own.runUntil(connecting::isDone);
            CompletableFuture<StringValue> call =
                    Futures.result(connecting).call(EchoService.ECHO, CallOptions.DEFAULT, text("x"));
            own.runUntil(call::isDone);
            history.append(own.monotonicNanos()).append(call.isCompletedExceptionally() ? "!" : " ");
        }
        return history.toString();
    }

    @Test
    void aCrashCutsConnectionsAndABlockedWayLosesInSilence() throws Exception {
        SimNetwork network = network(1);
        Connector connector = network.connector(CLIENT, UserIdentity.of("anna"));
        Connection connection = connect(connector);
        network.block(SERVER, CLIENT);
        CompletableFuture<StringValue> lost = connection.call(EchoService.ECHO, CallOptions.DEFAULT, text("x"));
        assertEquals(ErrorCode.DEADLINE_EXCEEDED, Futures.failure(ended(lost)).code());
        assertEquals(1, service.handled.sum());
        network.heal();

        CompletableFuture<StringValue> parked = connection.call(EchoService.PARK, CallOptions.DEFAULT, text(""));
        Recorder recorder = new Recorder();
        RpcStream<StringValue> stream =
                connection.openStream(EchoService.MIRROR, CallOptions.DEFAULT, text(""), recorder);
        time.run(Duration.ofSeconds(1));
        network.crash(SERVER);
        assertEquals(ErrorCode.UNAVAILABLE, Futures.failure(parked).code());
        assertEquals(ErrorCode.UNAVAILABLE, Futures.failure(recorder.end).code());
        assertEquals(ErrorCode.UNAVAILABLE, Futures.result(service.cancelled).code());
        stream.send(text("dropped"));
        service.answerParked("from a process that has ended");
        time.runUntilIdle();
        assertFalse(connection.isOpen());
        assertEquals(
                ErrorCode.UNAVAILABLE,
                Futures.failure(ended(connector.connect(SERVER))).code());
        network.serve(SERVER, service.handlers());
        assertTrue(connect(connector).isOpen());
    }
}
