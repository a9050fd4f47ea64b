package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.MkdirsRequest;
import io.tatami.protocol.wire.OpenSessionReply;
import io.tatami.protocol.wire.OpenSessionRequest;
import io.tatami.protocol.wire.ResolveRequest;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.protocol.wire.XAttr;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Replicated groups keep their leaders whatever a client sends: a refusal that echoed a name of 3.9 MB was once more
 * than a message of Raft takes, and it was remembered. The requests go past the client, whose own checks refuse them.
 */
final class OversizedRequestsTest {
    private static final String USER = System.getProperty("user.name");
    private static final GroupId SHARD = GroupId.ofShard(0);
    private static final int NAME_LENGTH = 3_900_000;
    private static final int REPEATS = 60;
    private static final int ATTRIBUTE_BYTES = 16_000;
    private static final int ATTRIBUTES = 32;
    private static final CreateModes MODES =
            CreateModes.newBuilder().setMasked(0755).setUnmasked(0777).build();

    @TempDir
    private Path directory;

    private MetadataTrio.InOneProcess servers;
    private TatamiClient client;
    private EventLoops loops;
    private RpcClient rpc;
    private long number;

    @BeforeEach
    void start() throws Exception {
        servers = new MetadataTrio.InOneProcess(directory);
        servers.form();
        client = servers.connect();
        RpcSettings settings = RpcSettings.from(Settings.defaults());
        loops = new EventLoops("test", settings);
        rpc = new RpcClient(loops, settings, Clock.SYSTEM, ClientIdentity.simple("test", UserIdentity.of(USER)));
    }

    @AfterEach
    void stop() throws Exception {
        rpc.close();
        loops.close();
        client.close();
        servers.close();
    }

    private Connection leaderOf(GroupId group) throws TatamiException {
        int leader = servers.leader(client, group);
        return rpc.connect(new InetSocketAddress("localhost", servers.ports[leader]))
                .join();
    }

    /** A session's next request, whose answer is remembered. */
    private <Q extends Message, R extends Message> R remembered(
            Connection connection, OpenSessionReply session, GroupId group, Method<Q, R> method, Q request)
            throws TatamiException {
        number++;
        CallOptions options = CallOptions.DEFAULT
                .withGroup(group)
                .withNumber(new SessionId(session.getSession()), number, 0)
                .withCredential(session.getProof());
        return connection.callAndWait(method, options, request);
    }

    private static OpenSessionReply session(Connection namespace) throws TatamiException {
        return namespace.callAndWait(
                MetaMethods.OPEN_SESSION,
                CallOptions.DEFAULT.withGroup(GroupId.NAMESPACE),
                OpenSessionRequest.getDefaultInstance());
    }

    @Test
    void namesOfMegabytesStopNoLeader() throws Exception {
        int namespaceLeader = servers.leader(client, GroupId.NAMESPACE);
        Connection namespace = leaderOf(GroupId.NAMESPACE);
        OpenSessionReply session = session(namespace);
        SignedHandle root = namespace
                .callAndWait(
                        MetaMethods.RESOLVE,
                        CallOptions.DEFAULT.withGroup(GroupId.NAMESPACE),
                        ResolveRequest.newBuilder().setPath("/").build())
                .getHandle();
        String name = "n".repeat(NAME_LENGTH);
        MkdirsRequest oneName =
                MkdirsRequest.newBuilder().setPath("/" + name).setModes(MODES).build();
        MkdirsRequest manyNames = MkdirsRequest.newBuilder()
                .setPath("/abcdefg".repeat(NAME_LENGTH / 8))
                .setModes(MODES)
                .setCreateParents(true)
                .build();
        CreateRequest file = CreateRequest.newBuilder()
                .setHandle(root)
                .setName(name)
                .setModes(MODES)
                .setReplication(1)
                .setBlockSize(1 << 20)
                .build();
        for (int i = 0; i < REPEATS; i++) {
            assertRefusedBriefly(() -> remembered(namespace, session, GroupId.NAMESPACE, MetaMethods.MKDIRS, oneName));
            assertRefusedBriefly(
                    () -> remembered(namespace, session, GroupId.NAMESPACE, MetaMethods.MKDIRS, manyNames));
        }
        servers.awaitPreferredLeader(client, SHARD);
        int shardLeader = servers.leader(client, SHARD);
        Connection shard = leaderOf(SHARD);
        for (int i = 0; i < REPEATS; i++) {
            assertRefusedBriefly(() -> remembered(shard, session, SHARD, MetaMethods.CREATE, file));
        }
        assertEquals(namespaceLeader, servers.leader(client, GroupId.NAMESPACE));
        assertEquals(shardLeader, servers.leader(client, SHARD));
        assertTrue(client.mkdirs(path("after"), MODES, false));
    }

    /** What users may store is taken, and is there when the leader has gone. */
    @Test
    void largeAttributesAreKeptByEveryReplica() throws Exception {
        Random random = new Random(7);
        for (int file = 0; file < 4; file++) {
            client.create(path("f" + file), CreateSpec.DEFAULT).close();
            for (int i = 0; i < ATTRIBUTES; i++) {
                byte[] value = new byte[ATTRIBUTE_BYTES];
                random.nextBytes(value);
                client.setAttributes(
                        path("f" + file),
                        AttributeChange.newBuilder()
                                .setXattr(AttributeChange.XAttrChange.newBuilder()
                                        .setXattr(XAttr.newBuilder()
                                                .setName("user.a" + i)
                                                .setValue(ByteString.copyFrom(value))))
                                .build());
            }
        }
        servers.kill(servers.leader(client, SHARD));
        for (int file = 0; file < 4; file++) {
            assertEquals(
                    ATTRIBUTES,
                    client.status(path("f" + file), true).attributes().getXattrCount());
            client.append(path("f" + file), false).close();
        }
    }

    private interface Sent {
        Object await() throws TatamiException;
    }

    private static void assertRefusedBriefly(Sent request) {
        TatamiException refused = assertThrows(TatamiException.class, request::await);
        assertFalse(refused.code().isRetryable(), refused::toString);
        assertTrue(refused.toString().length() < 2_000, () -> refused.toString().length() + " characters");
    }

    private static TatamiPath path(String name) {
        return TatamiPath.ROOT.listedChild(name);
    }
}
