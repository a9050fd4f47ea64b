package io.tatami.meta.service.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.GroupTraffic;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.service.Invitations;
import io.tatami.meta.service.identity.Identity;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.meta.service.lead.GroupObserver;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.CountedDirectory;
import io.tatami.protocol.wire.CountedKey;
import io.tatami.protocol.wire.GetDirectoryRequest;
import io.tatami.protocol.wire.GroupTrafficReply;
import io.tatami.protocol.wire.GroupTrafficRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.LookupRequest;
import io.tatami.protocol.wire.ResolveRequest;
import io.tatami.protocol.wire.SignedHandle;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.RequestObserver;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the leaders of a metadata server's groups count of its clients' requests, and whom they tell. */
final class GroupTrafficTest {
    private static final String SUPERUSER = System.getProperty("user.name");
    private static final NewCluster ONE_SHARD = NewCluster.onOneServer(1);
    private static final GroupId SHARD = GroupId.ofShard(0);

    /** Of a process with its port on. */
    private static final RequestObserver WATCHED = new RequestObserver() {
        @Override
        public void answered(String method, long tookNanos, @Nullable ErrorCode failure) {}

        @Override
        public void ended(String method, long tookNanos, @Nullable ErrorCode failure) {}
    };

    @TempDir
    private Path directory = Path.of("");

    private MetadataServer open(RequestObserver requests) throws TatamiException {
        ServerLocation location = new ServerLocation(directory.resolve("one"), "127.0.0.1", 0);
        return MetadataServer.open(
                location,
                ONE_SHARD,
                Settings.defaults(),
                new HostSurroundings(
                        user -> List.of(),
                        Clock.SYSTEM,
                        requests,
                        GroupObserver.NONE,
                        Invitations.NONE,
                        HostSurroundings.of(user -> List.of(), Clock.SYSTEM).diagnostics()));
    }

    private static GroupTrafficReply traffic(MetadataServer server, GroupId group) throws TatamiException {
        return MetadataServerTest.call(
                server, SUPERUSER, group, MetaMethods.GROUP_TRAFFIC, GroupTrafficRequest.getDefaultInstance());
    }

    private static Map<String, Long> counts(List<CountedKey> keys) {
        Map<String, Long> counts = new LinkedHashMap<>();
        keys.forEach(key -> counts.put(key.getKey(), key.getCount()));
        return counts;
    }

    private static SignedHandle resolve(MetadataServer server, String user, String path) throws TatamiException {
        ResolveRequest request = ResolveRequest.newBuilder().setPath(path).build();
        return MetadataServerTest.call(server, user, GroupId.NAMESPACE, MetaMethods.RESOLVE, request)
                .getHandle();
    }

    /** How often it is looked for does not matter to the caller: there is no such file. */
    private static void lookUp(MetadataServer server, String user, SignedHandle handle) {
        LookupRequest request =
                LookupRequest.newBuilder().setHandle(handle).setName("none").build();
        assertThrows(
                TatamiException.class, () -> MetadataServerTest.call(server, user, SHARD, MetaMethods.LOOKUP, request));
    }

    private static long id(SignedHandle handle) throws Exception {
        return Handle.parseFrom(handle.getPayload()).getDirectoryId();
    }

    @Test
    void requestsOfTwoUsersInTwoDirectoriesAreToldApart() throws Exception {
        try (MetadataServer server = open(WATCHED)) {
            for (String path : List.of("/first", "/second")) {
                MetadataServerTest.call(
                        server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.MKDIRS, MetadataServerTest.mkdirs(path));
            }
            GroupTrafficReply before = traffic(server, SHARD);
            SignedHandle first = resolve(server, "ann", "/first");
            SignedHandle second = resolve(server, "bob", "/second");
            lookUp(server, "ann", first);
            lookUp(server, "ann", first);
            lookUp(server, "bob", second);
            GroupTrafficReply shard = traffic(server, SHARD);
            assertEquals(3, shard.getRequests() - before.getRequests());
            assertEquals(Map.of("ann", 2L, "bob", 1L), counts(shard.getUserList()));
            assertEquals(Map.of("", 3L), counts(shard.getClientHostList()), "they are on this host");
            Map<Long, Long> directories = new LinkedHashMap<>();
            for (CountedDirectory counted : shard.getDirectoryList()) {
                directories.put(counted.getDirectoryId(), counted.getCount());
            }
            assertEquals(Map.of(id(first), 2L, id(second), 1L), directories);
            GroupTrafficReply namespace = traffic(server, GroupId.NAMESPACE);
            assertEquals(1L, counts(namespace.getUserList()).get("ann"));
            assertEquals(0, namespace.getDirectoryCount(), "paths count for no directory");
        }
    }

    @Test
    void aNewTermCountsAnew() throws Exception {
        long source;
        try (MetadataServer server = open(WATCHED)) {
            resolve(server, "ann", "/");
            source = traffic(server, GroupId.NAMESPACE).getSource();
        }
        try (MetadataServer server = open(WATCHED)) {
            GroupTrafficReply anew = traffic(server, GroupId.NAMESPACE);
            assertNotEquals(source, anew.getSource());
            assertEquals(Map.of(), counts(anew.getUserList()));
        }
    }

    @Test
    void othersThanTheSuperuserAreNotTold() throws Exception {
        try (MetadataServer server = open(WATCHED)) {
            for (GroupId group : List.of(GroupId.NAMESPACE, SHARD)) {
                assertEquals(
                        ErrorCode.PERMISSION_DENIED,
                        refusal(server, "ann", group).code());
            }
        }
    }

    @Test
    void whereThePortIsOffNothingIsCountedAndTheRemedyIsTold() throws Exception {
        try (MetadataServer server = open(RequestObserver.NONE)) {
            for (GroupId group : List.of(GroupId.NAMESPACE, SHARD)) {
                TatamiException refused = refusal(server, SUPERUSER, group);
                assertEquals(ErrorCode.UNSUPPORTED, refused.code());
                assertTrue(String.valueOf(refused.getMessage()).contains("tatami.http.port"), refused.getMessage());
                assertEquals(
                        ErrorCode.PERMISSION_DENIED,
                        refusal(server, "ann", group).code());
            }
        }
    }

    private static TatamiException refusal(MetadataServer server, String user, GroupId group) {
        return assertThrows(
                TatamiException.class,
                () -> MetadataServerTest.call(
                        server, user, group, MetaMethods.GROUP_TRAFFIC, GroupTrafficRequest.getDefaultInstance()));
    }

    @Test
    void requestsThatShowAServersCredentialAreNotCounted() throws Exception {
        try (MetadataServer server = open(WATCHED)) {
            Identity identity = Identity.read(directory.resolve("one")).orElseThrow();
            ServiceCredential credential =
                    new ServiceCredential(new HandleSigner(identity.handleKey()), identity.cluster());
            GetDirectoryRequest root =
                    GetDirectoryRequest.newBuilder().setPath("/").build();
            CallOptions asServer = CallOptions.DEFAULT.withCredential(credential.bytes());
            assertTrue(call(server, asServer, MetaMethods.GET_DIRECTORY, root).hasStatus());
            assertEquals(Optional.empty(), countOf(server, "caller"));
            assertTrue(call(server, CallOptions.DEFAULT, MetaMethods.GET_DIRECTORY, root)
                    .hasStatus());
            assertEquals(Optional.of(1L), countOf(server, "caller"));
        }
    }

    private static Optional<Long> countOf(MetadataServer server, String user) throws TatamiException {
        return Optional.ofNullable(
                counts(traffic(server, GroupId.NAMESPACE).getUserList()).get(user));
    }

    private static <Q extends Message, R extends Message> R call(
            MetadataServer server, CallOptions options, Method<Q, R> method, Q request) throws TatamiException {
        RpcSettings settings = RpcSettings.from(Settings.defaults());
        try (EventLoops loops = new EventLoops("test", settings);
                RpcClient client = new RpcClient(
                        loops, settings, Clock.SYSTEM, ClientIdentity.simple("test", UserIdentity.of("caller")))) {
            Connection connection = client.connect(server.address()).join();
            return connection.callAndWait(method, options.withGroup(GroupId.NAMESPACE), request);
        }
    }

    @Test
    void theSuperusersClientHearsOfAllGroupsAndFindsThePathsOfDirectories() throws Exception {
        try (MetadataServer server = open(WATCHED)) {
            MetadataServerTest.call(
                    server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.MKDIRS, MetadataServerTest.mkdirs("/a/b"));
            DirectoryId known = new DirectoryId(id(resolve(server, SUPERUSER, "/a/b")));
            DirectoryId unknown = new DirectoryId(1L << 40);
            String address = "127.0.0.1:" + server.address().getPort();
            try (TatamiClient client = TatamiClient.connect(address, UserIdentity.of(SUPERUSER), Settings.defaults())) {
                List<GroupTraffic> traffic = client.cluster().traffic();
                assertEquals(
                        List.of(GroupId.NAMESPACE, SHARD),
                        traffic.stream().map(GroupTraffic::group).toList());
                assertTrue(traffic.stream().allMatch(group -> group.counts() != null), traffic::toString);
                assertTrue(traffic.stream().allMatch(group -> group.address().equals(address)), traffic::toString);
                assertEquals(
                        Map.of(known, TatamiPath.of("/a/b"), DirectoryId.ROOT, TatamiPath.ROOT),
                        client.cluster()
                                .directoryPaths(List.of(known, unknown, DirectoryId.ROOT), Duration.ofSeconds(30)));
            }
            try (TatamiClient client = TatamiClient.connect(address, UserIdentity.of("ann"), Settings.defaults())) {
                assertEquals(Map.of(), client.cluster().directoryPaths(List.of(known), Duration.ofSeconds(30)));
            }
        }
    }
}
