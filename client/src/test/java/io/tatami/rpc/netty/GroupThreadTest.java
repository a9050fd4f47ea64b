package io.tatami.rpc.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.StringValue;
import io.netty.channel.epoll.Epoll;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ManualClock;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.protocol.Audience;
import io.tatami.protocol.Effect;
import io.tatami.protocol.FrameKind;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.Goodbye;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Futures;
import io.tatami.rpc.GroupThread;
import io.tatami.rpc.HandlerTable;
import io.tatami.rpc.Responder;
import io.tatami.rpc.netty.client.ClientConnection;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections for the changes of a group, which its thread serves. */
@Timeout(60)
final class GroupThreadTest {
    private static final GroupId GROUP = GroupId.ofShard(3);

    /** Answered with the name of the thread that came with it. */
    private static final Method<StringValue, StringValue> WHERE =
            Method.once(40, "where", Audience.USERS, Effect.WRITES, StringValue.parser(), StringValue.parser());

    private static final CallOptions READ = CallOptions.DEFAULT.withGroup(GROUP);
    private static final CallOptions CHANGE = READ.withNumber(new SessionId(1), 1, 0);

    @BeforeEach
    void onLinux() {
        assumeTrue(Epoll.isAvailable(), "callers wait for sockets of their own by epoll");
    }

    private static HandlerTable where() {
        return new HandlerTable()
                .on(
                        WHERE,
                        (context, body, responder) -> responder.success(
                                StringValue.of(Thread.currentThread().getName())));
    }

    private static GroupThread open(Rig rig, GroupId group) {
        GroupThread thread = rig.loops.newGroupThread("thread-of-" + group);
        rig.handlers.openGroup(group, where(), thread);
        return thread;
    }

    private static String call(ClientConnection connection, CallOptions options) throws TatamiException {
        return connection
                .callAndWait(WHERE, options, StringValue.getDefaultInstance())
                .getValue();
    }

    /** A connection whose changes come to the thread of {@link #GROUP} from now on. */
    private static ClientConnection changing(Rig rig) throws Exception {
        ClientConnection connection = (ClientConnection) rig.connect();
        callUntilServedBy("thread-of-shard-3", connection, CHANGE);
        return connection;
    }

    /** A change, which ends with its reply or the name of its failure. */
    private static CompletableFuture<String> begin(ClientConnection connection) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return call(connection, CHANGE);
            } catch (TatamiException e) {
                return e.code().name();
            }
        });
    }

    /** Calls until a thread of this name served one. */
    private static void callUntilServedBy(String thread, ClientConnection connection, CallOptions options)
            throws TatamiException {
        for (int i = 0; !call(connection, options).equals(thread); i++) {
            assertTrue(i < 200, () -> thread + " served none of 200 calls");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void changesOfAGroupComeToItsThreadAndReadsDoNot(boolean local) throws Exception {
        try (Rig rig = new Rig(Map.of("tatami.rpc.local.socket", Boolean.toString(local)));
                GroupThread thread = open(rig, GROUP)) {
            ClientConnection connection = changing(rig);
            for (int i = 0; i < 100; i++) {
                assertEquals("thread-of-shard-3", call(connection, CHANGE));
                assertFalse(call(connection, READ).startsWith("thread-of"));
            }
            assertEquals(2, connection.direct().opened());
            assertFalse(thread.isCurrent());
        }
    }

    @Test
    void manyThreadsAndGroupsEachGetTheirOwnReplies() throws Exception {
        try (Rig rig = new Rig(Map.of("tatami.rpc.direct.max", "6"));
                GroupThread first = open(rig, GroupId.ofShard(0));
                GroupThread second = open(rig, GroupId.NAMESPACE)) {
            ClientConnection connection = (ClientConnection) rig.connect();
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int t = 0; t < 10; t++) {
                CallOptions options =
                        (t % 3 == 0 ? READ : CHANGE).withGroup(t % 2 == 0 ? GroupId.ofShard(0) : GroupId.NAMESPACE);
                callers.add(CompletableFuture.runAsync(
                        () -> callMany(connection, options), work -> new Thread(work).start()));
            }
            for (CompletableFuture<Void> caller : callers) {
                Futures.result(caller);
            }
            assertTrue(
                    connection.direct().opened() <= 6,
                    () -> "opened: " + connection.direct().opened());
            assertFalse(first.isCurrent() || second.isCurrent());
        }
    }

    private static void callMany(ClientConnection connection, CallOptions options) {
        try {
            for (int i = 0; i < 500; i++) {
                String thread = call(connection, options);
                GroupId group = options.group();
                assertTrue(!thread.startsWith("thread-of") || thread.equals("thread-of-" + group), thread);
            }
        } catch (TatamiException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void idleConnectionsOfOtherGroupsMakeRoom() throws Exception {
        try (Rig rig = new Rig(Map.of("tatami.rpc.direct.max", "1"));
                GroupThread first = open(rig, GroupId.ofShard(0));
                GroupThread second = open(rig, GroupId.ofShard(1))) {
            ClientConnection connection = (ClientConnection) rig.connect();
            callUntilServedBy("thread-of-shard-0", connection, CHANGE.withGroup(GroupId.ofShard(0)));
            callUntilServedBy("thread-of-shard-1", connection, CHANGE.withGroup(GroupId.ofShard(1)));
            callUntilServedBy("thread-of-shard-0", connection, CHANGE.withGroup(GroupId.ofShard(0)));
            assertEquals(1, connection.direct().opened());
            assertFalse(first.isCurrent() || second.isCurrent());
        }
    }

    @Test
    void whatWasAnsweredIsSentBeforeAThreadEnds() throws Exception {
        try (Rig rig = new Rig()) {
            GroupThread thread = open(rig, GROUP);
            ClientConnection connection = changing(rig);
            BlockingQueue<Responder<StringValue>> arrived = new LinkedBlockingQueue<>();
            HandlerTable keeping = new HandlerTable().on(WHERE, (context, body, responder) -> arrived.add(responder));
            rig.handlers.openGroup(GROUP, keeping, thread);
            CompletableFuture<String> waiting = begin(connection);
            Responder<StringValue> responder = arrived.take();
            thread.execute(() -> responder.success(StringValue.of("answered")));
            thread.close();
            assertEquals("answered", Futures.result(waiting));
        }
    }

    @Test
    void callersOfAThreadThatHasEndedGoOnWithTheNext() throws Exception {
        try (Rig rig = new Rig();
                GroupThread next = rig.loops.newGroupThread("next")) {
            GroupThread thread = open(rig, GROUP);
            ClientConnection connection = changing(rig);
            rig.handlers.openGroup(GROUP, where(), next);
            thread.close();
            assertEquals(
                    ErrorCode.UNAVAILABLE,
                    assertThrows(TatamiException.class, () -> call(connection, CHANGE))
                            .code());
            callUntilServedBy("next", connection, CHANGE);
        }
    }

    @Test
    void aServerThatStopsEndsConnectionsOnGroupsThreadsToo() throws Exception {
        try (Rig rig = new Rig()) {
            GroupThread thread = open(rig, GROUP);
            ClientConnection connection = changing(rig);
            rig.server.close();
            assertEquals(
                    ErrorCode.UNAVAILABLE,
                    assertThrows(TatamiException.class, () -> call(connection, CHANGE))
                            .code());
            thread.close();
        }
    }

    @Test
    void aServerEndsThoughAGroupsThreadIsHeldUp() throws Exception {
        try (Rig rig = new Rig()) {
            GroupThread thread = open(rig, GROUP);
            ClientConnection connection = changing(rig);
            CompletableFuture<Void> freed = new CompletableFuture<>();
            thread.execute(freed::join);
            CompletableFuture<String> waiting = begin(connection);
            rig.server.close();
            freed.complete(null);
            assertEquals("UNAVAILABLE", Futures.result(waiting));
            thread.close();
        }
    }

    @Test
    void aConnectionForAGroupThatIsNotHereIsServedAsAnyOther() throws Exception {
        try (Rig rig = new Rig();
                RawPeer peer = RawPeer.connect(rig.address)) {
            peer.send(RawPeer.frame(FrameKind.HELLO, RawPeer.hello().setGroup(7).build()));
            peer.expect(FrameKind.WELCOME);
            peer.send(RawPeer.request(5, 1, StringValue.of("x")));
            assertEquals(
                    StringValue.of("x"),
                    StringValue.parseFrom(peer.expect(FrameKind.REPLY).body()));
        }
    }

    @Test
    void aServerWithManyConnectionsKeepsTheRestForClientsThatHaveNone() throws Exception {
        ManualClock clock = new ManualClock();
        try (Rig rig = new Rig(Map.of("tatami.rpc.connections.max", "8"), clock);
                GroupThread thread = open(rig, GROUP)) {
            List<RawPeer> others = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                others.add(RawPeer.connect(rig.address).greet());
            }
            ClientConnection connection = (ClientConnection) rig.connect();
            for (int i = 0; i < 100; i++) {
                assertFalse(call(connection, CHANGE).startsWith("thread-of"));
            }
            assertEquals(0, connection.direct().opened());
            for (RawPeer other : others) {
                other.close();
            }
            // The server may yet have to hear of that, and is then asked again as much later.
            for (int i = 0; !call(connection, CHANGE).equals("thread-of-shard-3"); i++) {
                assertTrue(i < 1_000, "the server was not asked again");
                clock.advance(Duration.ofSeconds(10));
            }
            assertFalse(thread.isCurrent());
        }
    }

    @Test
    void aConnectionForAGroupThatCannotBeIsRefused() throws Exception {
        try (Rig rig = new Rig();
                RawPeer peer = RawPeer.connect(rig.address)) {
            peer.send(
                    RawPeer.frame(FrameKind.HELLO, RawPeer.hello().setGroup(256).build()));
            Goodbye reason = Goodbye.parseFrom(peer.expect(FrameKind.GOODBYE).body());
            assertEquals(ErrorCode.MALFORMED.number(), reason.getError());
        }
    }

    @Test
    void whoDoesNotWaitForTheWelcomeEndsItsOwnConnectionOnly() throws Exception {
        try (Rig rig = new Rig();
                GroupThread thread = open(rig, GROUP)) {
            ByteArrayOutputStream both = new ByteArrayOutputStream();
            both.writeBytes(RawPeer.frame(
                    FrameKind.HELLO, RawPeer.hello().setGroup(GROUP.value()).build()));
            both.writeBytes(RawPeer.request(5, 1, StringValue.of("x")));
            for (int i = 0; i < 50; i++) {
                try (RawPeer peer = RawPeer.connect(rig.address)) {
                    peer.send(both.toByteArray());
                    RawPeer.RawFrame first = peer.read();
                    if (first != null && first.kind() == FrameKind.WELCOME.number()) {
                        // The request came in a packet of its own, late enough.
                        peer.expect(FrameKind.REPLY);
                    } else {
                        assertNull(first);
                    }
                }
            }
            ClientConnection unused = changing(rig);
            assertFalse(thread.isCurrent());
        }
    }
}
