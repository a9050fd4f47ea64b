package io.tatami.meta.service.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.FileId;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.conf.Settings;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.CompleteRequest;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.CreateReply;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.OpenSessionReply;
import io.tatami.protocol.wire.OpenSessionRequest;
import io.tatami.protocol.wire.RenewLeasesRequest;
import io.tatami.protocol.wire.ResolveReply;
import io.tatami.protocol.wire.ResolveRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose a session is, and how long it lasts, with a server as clients see it. */
final class SessionsTest {
    private static final String SUPERUSER = System.getProperty("user.name");
    private static final GroupId SHARD = GroupId.ofShard(0);

    @TempDir
    private Path directory = Path.of("");

    private final SkewedClock clock = new SkewedClock();

    /** Goes on by itself, and is set ahead by a test. */
    private static final class SkewedClock implements Clock {
        private final AtomicLong aheadNanos = new AtomicLong();

        void pass(Duration time) {
            aheadNanos.addAndGet(time.toNanos());
        }

        @Override
        public long wallMillis() {
            return Clock.SYSTEM.wallMillis() + aheadNanos.get() / 1_000_000;
        }

        @Override
        public long monotonicNanos() {
            return Clock.SYSTEM.monotonicNanos() + aheadNanos.get();
        }
    }

    /** A session whose requests come one after the other, each on a connection of its own. */
    private static final class Client {
        private final MetadataServer server;
        private final String user;
        private final OpenSessionReply session;
        private long number;

        Client(MetadataServer server, String user) throws TatamiException {
            this.server = server;
            this.user = user;
            this.session = MetadataServerTest.call(
                    server, user, GroupId.NAMESPACE, MetaMethods.OPEN_SESSION, OpenSessionRequest.getDefaultInstance());
        }

        <Q extends Message, R extends Message> R once(GroupId group, Method<Q, R> method, Q request)
                throws TatamiException {
            number++;
            return call(group, method, request);
        }

        <Q extends Message, R extends Message> R call(GroupId group, Method<Q, R> method, Q request)
                throws TatamiException {
            return callIn(session.getSession(), session.getProof(), group, method, request);
        }

        /** As if another session were this client's. */
        <Q extends Message, R extends Message> R callIn(
                long id, ByteString proof, GroupId group, Method<Q, R> method, Q request) throws TatamiException {
            RpcSettings settings = RpcSettings.from(Settings.defaults());
            try (EventLoops loops = new EventLoops("test", settings);
                    RpcClient client = new RpcClient(
                            loops, settings, Clock.SYSTEM, ClientIdentity.simple("test", UserIdentity.of(user)))) {
                CallOptions options = CallOptions.DEFAULT
                        .withGroup(group)
                        .withNumber(new SessionId(id), method.idempotent() ? 0 : number, Math.max(0, number - 1))
                        .withCredential(proof);
                return client.connect(server.address()).join().callAndWait(method, options, request);
            }
        }

        void mkdirs(String path) throws TatamiException {
            once(GroupId.NAMESPACE, MetaMethods.MKDIRS, MetadataServerTest.mkdirs(path));
        }

        /** Opens a new file, which nothing is written to yet. */
        FileId create(String parent, String name) throws TatamiException {
            ResolveRequest resolve = ResolveRequest.newBuilder().setPath(parent).build();
            ResolveReply resolved = call(GroupId.NAMESPACE, MetaMethods.RESOLVE, resolve);
            CreateReply created = once(
                    SHARD,
                    MetaMethods.CREATE,
                    CreateRequest.newBuilder()
                            .setHandle(resolved.getHandle())
                            .setName(name)
                            .setModes(CreateModes.newBuilder().setMasked(0644).setUnmasked(0644))
                            .setReplication(1)
                            .setBlockSize(1 << 20)
                            .build());
            return new FileId(created.getStatus().getId());
        }

        void renew(FileId file) throws TatamiException {
            assertEquals(
                    List.of(),
                    call(SHARD, MetaMethods.RENEW_LEASES, renewal(file)).getLostFileIdList());
        }

        void close(FileId file, String content) throws TatamiException {
            once(
                    SHARD,
                    MetaMethods.COMPLETE,
                    CompleteRequest.newBuilder()
                            .setFileId(file.value())
                            .setInline(ByteString.copyFromUtf8(content))
                            .build());
        }
    }

    private static RenewLeasesRequest renewal(FileId file) {
        return RenewLeasesRequest.newBuilder().addFileId(file.value()).build();
    }

    private MetadataServer open() throws TatamiException {
        ServerLocation location = new ServerLocation(directory.resolve("one"), "127.0.0.1", 0);
        return MetadataServer.open(
                location, NewCluster.onOneServer(1), Settings.defaults(), user -> List.of("users"), clock);
    }

    @Test
    void clientSilentTowardsAGroupForDaysGoesOnAndKeepsTheFileThatItHasOpen() throws TatamiException {
        try (MetadataServer server = open()) {
            Client daemon = new Client(server, SUPERUSER);
            daemon.mkdirs("/logs");
            FileId log = daemon.create("/logs", "log");
            for (int hour = 0; hour < 50; hour++) {
                for (int i = 0; i < 2; i++) {
                    clock.pass(Duration.ofMinutes(30));
                    daemon.renew(log);
                }
                if (hour % 10 == 0) {
                    // Others come and go meanwhile, and have the groups look for sessions to close.
                    Client other = new Client(server, SUPERUSER);
                    other.mkdirs("/of-" + hour);
                    other.close(other.create("/of-" + hour, "f"), "x");
                }
            }
            daemon.mkdirs("/logs/more");
            FileId next = daemon.create("/logs/more", "log");
            daemon.renew(log);
            daemon.close(log, "open for days");
            daemon.close(next, "open for a moment");
        }
    }

    @Test
    void sessionOfAnotherUserIsAsUnknownAsOneThatWasNeverOpened() throws TatamiException {
        try (MetadataServer server = open()) {
            Client ann = new Client(server, SUPERUSER);
            ann.mkdirs("/ann");
            FileId file = ann.create("/ann", "file");
            Client eve = new Client(server, "eve");
            List<ByteString> proofs = List.of(
                    ann.session.getProof(),
                    eve.session.getProof(),
                    ByteString.EMPTY,
                    ByteString.copyFrom(new byte[32]));
            for (ByteString proof : proofs) {
                for (long session : new long[] {ann.session.getSession(), 1L << 62}) {
                    TatamiException refused = assertThrows(
                            TatamiException.class,
                            () -> eve.callIn(session, proof, SHARD, MetaMethods.RENEW_LEASES, renewal(file)));
                    assertEquals(ErrorCode.NO_SUCH_SESSION, refused.code());
                    assertTrue(refused.toString().contains("user eve has no session c" + session), refused::toString);
                }
            }
            ann.renew(file);
            ann.close(file, "by ann");
        }
    }

    @Test
    void othersAreNotToldWhoWritesAFile() throws TatamiException {
        try (MetadataServer server = open()) {
            Client ann = new Client(server, SUPERUSER);
            ann.mkdirs("/ann");
            FileId file = ann.create("/ann", "file");
            Client other = new Client(server, SUPERUSER);
            TatamiException held = assertThrows(TatamiException.class, () -> other.create("/ann", "file"));
            assertEquals(ErrorCode.LEASE_HELD, held.code());
            assertEquals(Detail.NONE, held.detail());
            TatamiException notMine = assertThrows(TatamiException.class, () -> other.close(file, "mine"));
            assertEquals(ErrorCode.LEASE_EXPIRED, notMine.code());
            assertTrue(
                    !notMine.toString().contains(new SessionId(ann.session.getSession()).toString()),
                    notMine::toString);
        }
    }

    @Test
    void nameOfMegabytesIsRefusedInAFewWordsHoweverOften() throws TatamiException {
        try (MetadataServer server = open()) {
            Client client = new Client(server, SUPERUSER);
            String name = "/" + "n".repeat(3_900_000);
            for (int i = 0; i < 5; i++) {
                TatamiException refused = assertThrows(TatamiException.class, () -> client.mkdirs(name));
                assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
                assertTrue(refused.toString().length() < 1_000, refused::toString);
            }
            client.mkdirs("/short");
            TatamiException refused =
                    assertThrows(TatamiException.class, () -> client.create("/short", "n".repeat(3_900_000)));
            assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
            assertTrue(refused.toString().length() < 1_000, refused::toString);
        }
    }
}
