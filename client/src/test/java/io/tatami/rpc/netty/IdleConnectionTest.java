package io.tatami.rpc.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.StringValue;
import io.tatami.base.ManualClock;
import io.tatami.protocol.UserIdentity;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.EchoService;
import io.tatami.rpc.Futures;
import io.tatami.rpc.netty.client.ClientConnection;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client closes connections that nobody uses, and ends the threads that serve none. */
final class IdleConnectionTest {
    private static final Map<String, String> SETTINGS =
            Map.of("tatami.rpc.ping.interval", "20ms", "tatami.rpc.silence.max", "1d", "tatami.rpc.event.loops", "3");
    private static final Duration LESS = Duration.ofMinutes(4);
    private static final Duration MORE = Duration.ofMinutes(6);

    private final ManualClock clock = new ManualClock();
    private final Rig rig;
    private final RpcClient client;

    IdleConnectionTest() throws Exception {
        rig = new Rig(SETTINGS, clock);
        client = RpcClient.onSharedLoops(rig.settings, clock, ClientIdentity.simple("idle", UserIdentity.of("anna")));
    }

    @AfterEach
    void close() {
        client.close();
        rig.close();
        assertEquals(0, threads());
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("tatami-client-"))
                .count();
    }

    private Connection connect() throws Exception {
        return Futures.result(client.connect(rig.address));
    }

    private static String echo(Connection connection) throws Exception {
        return Futures.result(connection.call(EchoService.ECHO, CallOptions.DEFAULT, StringValue.of("x")))
                .getValue();
    }

    @Test
    void anIdleConnectionAndItsThreadsGoAndComeAgainWithTheNextUse() throws Exception {
        Connection first = connect();
        assertEquals("x", echo(first));
        assertTrue(threads() > 0);

        clock.advance(MORE);
        first.closed().get(1, TimeUnit.MINUTES);
        while (threads() > 0) {
            Thread.onSpinWait();
        }

        Connection second = connect();
        assertNotSame(first, second);
        assertEquals("x", echo(second));
    }

    /** Often, because a thread may run for a moment after its group has told its end. */
    @Test
    void noThreadIsLeftWhenTheCloseReturns() throws Exception {
        for (int i = 0; i < 300; i++) {
            try (RpcClient once = RpcClient.onSharedLoops(
                    rig.settings, clock, ClientIdentity.simple("once", UserIdentity.of("anna")))) {
                assertEquals("x", echo(Futures.result(once.connect(rig.address))));
            }
            assertEquals(0, threads());
        }
    }

    @Test
    void whatIsAskedForOrWaitsForAnAnswerIsKept() throws Exception {
        Connection connection = connect();
        clock.advance(LESS);
        assertTrue(connect() == connection);
        clock.advance(LESS);
        assertTrue(connect() == connection);
        CompletableFuture<StringValue> parked =
                connection.call(EchoService.PARK, CallOptions.DEFAULT.withTimeoutMillis(0), StringValue.of("x"));
        Connection idle = rig.connect();

        clock.advance(MORE);

        idle.closed().get(1, TimeUnit.MINUTES);
        assertEquals("x", echo(connection));
        assertFalse(parked.isDone());
    }

    @Test
    void eitherAConnectionIsGivenToACallerOrItIsRetired() throws Exception {
        long limitNanos = Duration.ofMinutes(1).toNanos();
        ClientConnection connection = (ClientConnection) connect();
        // Beyond the limit here, and short of what the connection itself goes by.
        clock.advance(Duration.ofMinutes(2));
        assertTrue(connection.use());
        assertFalse(connection.retire(limitNanos));

        clock.advance(Duration.ofMinutes(2));
        assertTrue(connection.retire(limitNanos));
        assertFalse(connection.use());
        assertFalse(connection.retire(limitNanos));
        assertNotSame(connection, connect());
    }
}
