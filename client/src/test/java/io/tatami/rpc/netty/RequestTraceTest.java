package io.tatami.rpc.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.StringValue;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.ManualClock;
import io.tatami.rpc.CallContext;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.EchoService;
import io.tatami.rpc.Futures;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.RequestObserver;
import io.tatami.rpc.RequestScope;
import io.tatami.rpc.Traceparent;
import io.tatami.rpc.netty.server.RpcServer;
import io.tatami.rpc.netty.server.SlowRequests;
import io.tatami.rpc.netty.shared.ServerIdentity;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The trace of a request through two servers, and what observers hear of requests. */
final class RequestTraceTest {
    private static final ByteString TRACE = Traceparent.next();

    /** What the server in front knew while it went on behind the answer of the one behind. */
    private final CompletableFuture<@Nullable RequestScope> behind = new CompletableFuture<>();

    private final CompletableFuture<@Nullable RequestScope> inFront = new CompletableFuture<>();

    private RpcServer front(Rig back) {
        HandlerTable handlers = new HandlerTable().on(EchoService.ECHO, (context, body, responder) -> {
            inFront.complete(RequestScope.current());
            CompletableFuture<Void> unused = back.client
                    .connect(back.address)
                    .thenCompose(connection -> connection.call(EchoService.PARK, CallOptions.DEFAULT, body))
                    .thenAccept(reply -> {
                        behind.complete(RequestScope.current());
                        responder.success(reply);
                    });
        });
        return new RpcServer(
                back.loops, back.settings, Clock.SYSTEM, ServerIdentity.simple("front", Rig.CLUSTER), handlers);
    }

    private static CallContext parked(Rig rig) throws InterruptedException {
        return parked(rig, 1);
    }

    private static CallContext parked(Rig rig, int count) throws InterruptedException {
        while (rig.service.parked.size() < count) {
            Thread.sleep(1);
        }
        return rig.service.contexts.remove();
    }

    @Test
    void whatAServerAsksOfAnotherBelongsToTheTraceOfTheRequest() throws Exception {
        try (Rig back = new Rig();
                RpcServer front = front(back)) {
            // So that the server in front asks at once, on the thread of its handler.
            Connection unused = back.connect();
            InetSocketAddress address =
                    (InetSocketAddress) front.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Connection connection = Futures.result(back.client.connect(address));
            CompletableFuture<StringValue> reply = connection.call(
                    EchoService.ECHO, CallOptions.DEFAULT.withTraceparent(TRACE), StringValue.of("said"));
            assertEquals(TRACE, parked(back).options().traceparent());
            back.service.answerParked("late");
            assertEquals("late", Futures.result(reply).getValue());
            assertSame(inFront.join(), behind.join());
            assertNull(RequestScope.current());
        }
    }

    @Test
    void aTraceIsAsW3cWantsItAndNoTwoAreAlike() {
        String text = Traceparent.next().toStringUtf8();
        assertTrue(text.matches("00-[0-9a-f]{32}-[0-9a-f]{16}-01"), text);
        assertNotEquals(text, Traceparent.next().toStringUtf8());
        assertTrue(Traceparent.isValid(Traceparent.next()));
        List<String> wrong = new ArrayList<>(List.of(
                "",
                text + "0",
                text.toUpperCase(Locale.ROOT),
                text.replaceFirst("-", "0"),
                "\n" + text.substring(1),
                text.substring(1)));
        wrong.forEach(other -> assertFalse(Traceparent.isValid(ByteString.copyFromUtf8(other)), other));
    }

    @Test
    void aTraceThatIsNoneIsPassedOver() throws Exception {
        try (Rig rig = new Rig()) {
            CompletableFuture<StringValue> reply = rig.connect()
                    .call(
                            EchoService.PARK,
                            CallOptions.DEFAULT.withTraceparent(ByteString.copyFromUtf8("x\ny")),
                            StringValue.of("said"));
            assertEquals(ByteString.EMPTY, parked(rig).options().traceparent());
            rig.service.answerParked("late");
            assertEquals("late", Futures.result(reply).getValue());
        }
    }

    @Test
    void anObserverHearsOfEachRequestOnce() throws Exception {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (Rig rig = new Rig()) {
            rig.handlers.observedBy(new RequestObserver() {
                @Override
                public void answered(String method, long tookNanos, @Nullable ErrorCode failure) {
                    heard.add(method + " " + failure + (tookNanos >= 0 ? "" : " before it came"));
                }

                @Override
                public void ended(String method, long tookNanos, @Nullable ErrorCode failure) {
                    heard.add("stream " + method + " " + failure);
                }
            });
            Connection connection = rig.connect();
            StringValue said = StringValue.of("said");
            assertEquals(said, Futures.result(connection.call(EchoService.ECHO, CallOptions.DEFAULT, said)));
            for (var method : List.of(EchoService.FAIL, EchoService.THROW, EchoService.UNSERVED)) {
                connection
                        .call(method, CallOptions.DEFAULT, said)
                        .handle((reply, failure) -> failure)
                        .join();
            }
            CompletableFuture<StringValue> left = connection.call(EchoService.PARK, CallOptions.DEFAULT, said);
            CallContext unused = parked(rig);
            left.cancel(true);
            assertEquals(said, Futures.result(connection.call(EchoService.ECHO, CallOptions.DEFAULT, said)));
            rig.service.answerParked("late");
            assertEquals(said, Futures.result(connection.call(EchoService.ECHO, CallOptions.DEFAULT, said)));
        }
        assertEquals(
                List.of(
                        "echo null",
                        "fail NOT_LEADER",
                        "throw INTERNAL",
                        " UNSUPPORTED",
                        "park CANCELLED",
                        "echo null",
                        "echo null"),
                heard);
    }

    /** What the server logs of slow calls. */
    private static final class Lines extends AppenderSkeleton implements AutoCloseable {
        private final Logger logger = Logger.getLogger(SlowRequests.class);
        private final List<String> told = new CopyOnWriteArrayList<>();

        Lines() {
            logger.addAppender(this);
        }

        @Override
        protected void append(LoggingEvent event) {
            RequestScope scope = RequestScope.current();
            told.add(event.getRenderedMessage()
                    + (scope == null ? "" : " of " + scope.traceparent().toStringUtf8()));
        }

        @Override
        public void close() {
            logger.removeAppender(this);
        }

        @Override
        public boolean requiresLayout() {
            return false;
        }
    }

    @Test
    void aSlowCallIsLoggedWithWhereItsTimeWent() throws Exception {
        ManualClock clock = new ManualClock();
        try (Rig rig = new Rig(Map.of("tatami.rpc.slow.call", "2s"), clock);
                Lines lines = new Lines()) {
            CallOptions options = CallOptions.DEFAULT.withTraceparent(TRACE);
            Connection connection = rig.connect();
            for (int seconds : List.of(1, 3)) {
                CompletableFuture<StringValue> reply =
                        connection.call(EchoService.PARK, options, StringValue.of("said"));
                CallContext unused = parked(rig);
                clock.advance(Duration.ofSeconds(seconds));
                rig.service.answerParked("late");
                assertEquals("late", Futures.result(reply).getValue());
            }
            assertEquals(1, lines.told.size(), lines.told::toString);
            String line = lines.told.get(0);
            assertEquals(
                    "park of anna at this host took 3000 ms: queue 0 ms, decide 0 ms, log 0 ms, apply 0 ms, reply 0 ms of "
                            + TRACE.toStringUtf8(),
                    line);
        }
    }

    @Test
    void aFloodOfSlowCallsFillsNoLog() throws Exception {
        ManualClock clock = new ManualClock();
        try (Rig rig = new Rig(Map.of("tatami.rpc.slow.call", "2s"), clock);
                Lines lines = new Lines()) {
            Connection connection = rig.connect();
            for (int round = 0; round < 2; round++) {
                List<CompletableFuture<StringValue>> replies = new ArrayList<>();
                for (int i = 0; i < 80; i++) {
                    replies.add(connection.call(EchoService.PARK, CallOptions.DEFAULT, StringValue.of("said")));
                }
                for (int i = 0; i < 80; i++) {
                    CallContext unused = parked(rig, i + 1);
                }
                clock.advance(Duration.ofSeconds(11));
                rig.service.answerParked("late");
                for (CompletableFuture<StringValue> reply : replies) {
                    assertEquals("late", Futures.result(reply).getValue());
                }
            }
            assertEquals(101, lines.told.size());
            assertTrue(lines.told.contains("30 more slow calls were not logged"), lines.told::toString);
        }
    }
}
