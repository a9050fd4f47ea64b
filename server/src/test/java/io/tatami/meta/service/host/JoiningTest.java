package io.tatami.meta.service.host;

import static io.tatami.meta.service.host.MetadataServerTest.call;
import static io.tatami.meta.service.host.MetadataServerTest.mkdirs;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.block.service.registration.RoutedMetadataLink;
import io.tatami.conf.Settings;
import io.tatami.files.CrashPoint;
import io.tatami.meta.service.cluster.ClusterMapHolder;
import io.tatami.meta.service.identity.Identity;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.CreateRequest;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GetClusterMapRequest;
import io.tatami.protocol.wire.GroupStatusRequest;
import io.tatami.protocol.wire.HeartbeatRequest;
import io.tatami.protocol.wire.HeldReplica;
import io.tatami.protocol.wire.ListMetadataServersRequest;
import io.tatami.protocol.wire.RegisterBlockServerReply;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import io.tatami.protocol.wire.ReportMetadataServerReply;
import io.tatami.protocol.wire.SafeModeRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.GroupLeaders;
import io.tatami.rpc.GroupRoutes;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Metadata servers that share the groups of a cluster: who is given what, and that no group is served twice. */
final class JoiningTest {
    private static final String SUPERUSER = System.getProperty("user.name");
    private static final String HOST = "127.0.0.1";

    @TempDir
    private Path directory = Path.of("");

    private MetadataServer first;

    @BeforeEach
    void startNamespace() throws TatamiException {
        first = namespace(0);
    }

    @AfterEach
    void stopNamespace() throws TatamiException {
        CrashPoint.listen(null);
        first.close();
    }

    private MetadataServer namespace(int port) throws TatamiException {
        return namespace(port, Clock.SYSTEM);
    }

    private MetadataServer namespace(int port, Clock clock) throws TatamiException {
        return MetadataServer.open(
                new ServerLocation(directory.resolve("namespace"), HOST, port),
                new NewCluster(2, List.of(GroupId.NAMESPACE)),
                Settings.defaults(),
                user -> List.of(),
                clock);
    }

    private MetadataServer join(String name, Integer... shards) throws TatamiException {
        return join(name, first.address(), shards);
    }

    private MetadataServer join(String name, InetSocketAddress seed, Integer... shards) throws TatamiException {
        return MetadataServer.join(
                new ServerLocation(directory.resolve(name), HOST, 0),
                List.of(seed),
                List.of(shards),
                Settings.defaults(),
                user -> List.of(),
                Clock.SYSTEM);
    }

    private ErrorCode refusalOfJoin(String name, Integer... shards) {
        return assertThrows(TatamiException.class, () -> join(name, shards).close())
                .code();
    }

    private static List<Integer> groupsAt(MetadataServer asked, MetadataServer server) throws TatamiException {
        ClusterMap map = call(
                        asked,
                        "ann",
                        GroupId.NAMESPACE,
                        MetaMethods.GET_CLUSTER_MAP,
                        GetClusterMapRequest.getDefaultInstance())
                .getMap();
        List<Integer> groups = new ArrayList<>();
        map.getGroupList().forEach(location -> {
            if (location.getLeader().getPort() == server.address().getPort()) {
                groups.add(location.getGroup());
            }
        });
        return groups;
    }

    private void copyDirectory(String from, String to) throws IOException {
        Path source = directory.resolve(from);
        try (Stream<Path> files = Files.walk(source)) {
            for (Path file : files.toList()) {
                Files.copy(file, directory.resolve(to).resolve(source.relativize(file)));
            }
        }
    }

    @Test
    void aServerThatWasCutOffWhileItJoinedGetsTheSameShards() throws TatamiException {
        for (String point : List.of("meta.join.before-assignment", "meta.join.assigned")) {
            CrashPoint.listen(name -> {
                if (name.equals(point)) {
                    throw new IllegalStateException("cut off at " + point);
                }
            });
            assertThrows(IllegalStateException.class, () -> join("one", 1));
            CrashPoint.listen(null);
        }
        try (MetadataServer one = join("one", 1);
                MetadataServer other = join("other")) {
            assertEquals(List.of(1), groupsAt(first, one));
            assertEquals(List.of(0), groupsAt(first, other));
        }
    }

    @Test
    void shardsOfAServerThatNeverServedGoToWhoAsksForThemByNumber() throws TatamiException {
        CrashPoint.listen(name -> {
            if (name.equals("meta.join.assigned")) {
                throw new IllegalStateException("cut off");
            }
        });
        assertThrows(IllegalStateException.class, () -> join("lost"));
        CrashPoint.listen(null);
        try (MetadataServer spare = join("spare")) {
            assertEquals(List.of(), groupsAt(first, spare), "all is given away");
        }
        try (MetadataServer other = join("other", 0, 1)) {
            assertEquals(List.of(0, 1), groupsAt(first, other));
            try (MetadataServer lost = join("lost")) {
                assertEquals(List.of(), groupsAt(first, lost));
            }
            assertEquals(ErrorCode.INVALID_ARGUMENT, refusalOfJoin("third", 1), "a served shard is not given again");
        }
    }

    @Test
    void aShardThatTheClusterHasNotIsRefused() {
        assertEquals(ErrorCode.INVALID_ARGUMENT, refusalOfJoin("one", 2));
    }

    @Test
    void aCopyOfAServersDirectoryIsServedOnlyOnceTheServerIsGone() throws Exception {
        try (MetadataServer one = join("one", 0, 1)) {
            copyDirectory("one", "copy");
            assertEquals(ErrorCode.IN_USE, refusalOfJoin("copy"));
            assertEquals(List.of(0, 1), groupsAt(first, one));
        }
        try (MetadataServer copy = join("copy")) {
            assertEquals(List.of(0, 1), groupsAt(first, copy));
        }
    }

    /** As where the second server came while the first could not be reached. */
    @Test
    void aServerWhoseGroupsAreServedElsewhereStopsServingThem() throws TatamiException {
        try (MetadataServer one = join("one", 0)) {
            assertEquals(List.of(0), groupsAt(first, one));
        }
        Identity identity = Identity.read(directory.resolve("one")).orElseThrow();
        RpcSettings rpc = RpcSettings.from(Settings.defaults());
        List<String> reasons = new ArrayList<>();
        try (EventLoops loops = new EventLoops("test", rpc);
                RpcClient client = new RpcClient(
                        loops, rpc, Clock.SYSTEM, ClientIdentity.simple("test", UserIdentity.of(SUPERUSER)))) {
            ClusterMember before = member(client, identity, 1, reasons);
            ClusterMember after = member(client, identity, 2, reasons);
            before.register().join();
            before.run().join();
            assertEquals(List.of(), reasons);
            after.register().join();
            after.run().join();
            assertEquals(List.of(), reasons);
            before.run().join();
            before.run().join();
            assertEquals(1, reasons.size(), reasons::toString);
            assertTrue(reasons.get(0).contains(HOST + ":2"), reasons::toString);
        }
    }

    private ClusterMember member(RpcClient client, Identity identity, int port, List<String> reasons) {
        RegisterMetadataServerRequest registration = RegisterMetadataServerRequest.newBuilder()
                .setServerId(identity.serverIdBytes())
                .setEndpoint(Endpoint.newBuilder().setHost(HOST).setPort(port))
                .addHostedGroup(0)
                .build();
        return new ClusterMember(
                new GroupRoutes(client, new GroupLeaders(), () -> List.of(first.address()), 5_000),
                new ClusterMapHolder(ClusterMap.getDefaultInstance()),
                CallOptions.DEFAULT,
                Clock.SYSTEM,
                new Copy(registration, reasons));
    }

    /** A server that is told why it may not serve. */
    private record Copy(RegisterMetadataServerRequest registration, List<String> reasons)
            implements ClusterMember.Here {
        @Override
        public List<Integer> led() {
            return List.of();
        }

        @Override
        public List<HeldReplica> held() {
            return List.of();
        }

        @Override
        public boolean isLowOnSpace() {
            return false;
        }

        @Override
        public long clockAheadSeconds() {
            return 0;
        }

        @Override
        public void follow(ReportMetadataServerReply orders) {
            assertEquals(0, orders.getOpenGroupCount() + orders.getDropGroupCount());
        }

        @Override
        public void stopServing(String reason) {
            reasons.add(reason);
        }
    }

    @Test
    void anotherServersGroupCannotBeClaimed() throws TatamiException {
        try (MetadataServer one = join("one", 0)) {
            RegisterMetadataServerRequest claim = RegisterMetadataServerRequest.newBuilder()
                    .setServerId(ByteString.copyFrom(new byte[16]))
                    .setEndpoint(Endpoint.newBuilder()
                            .setHost(HOST)
                            .setPort(one.address().getPort()))
                    .addHostedGroup(0)
                    .build();
            assertEquals(
                    ErrorCode.IN_USE,
                    assertThrows(
                                    TatamiException.class,
                                    () -> call(
                                            first,
                                            SUPERUSER,
                                            GroupId.NAMESPACE,
                                            MetaMethods.REGISTER_METADATA_SERVER,
                                            claim))
                            .code());
        }
    }

    @Test
    void aServerServesBeforeTheNamespaceDoesAndIsFoundOnceItDoes() throws Exception {
        int port = first.address().getPort();
        join("one", 0).close();
        join("two", 1).close();
        first.close();
        InetSocketAddress gone = new InetSocketAddress(HOST, port);
        try (MetadataServer one = join("one", gone)) {
            call(one, SUPERUSER, GroupId.ofShard(0), MetaMethods.GROUP_STATUS, GroupStatusRequest.getDefaultInstance());
            assertEquals(
                    ErrorCode.UNAVAILABLE,
                    assertThrows(
                                    TatamiException.class,
                                    () -> call(
                                            one,
                                            SUPERUSER,
                                            GroupId.ofShard(0),
                                            MetaMethods.CREATE,
                                            CreateRequest.getDefaultInstance()))
                            .code(),
                    "nothing changes while it is not known whether anything may");
            first = namespace(port);
            try (MetadataServer two = join("two")) {
                long giveUp = System.nanoTime() + 30_000_000_000L;
                while (!groupsAt(first, one).equals(List.of(0)) && System.nanoTime() < giveUp) {
                    Thread.sleep(50);
                }
                assertEquals(List.of(0), groupsAt(first, one));
                assertEquals(List.of(1), groupsAt(first, two));
                call(first, SUPERUSER, GroupId.NAMESPACE, MetaMethods.MKDIRS, mkdirs("/a"));
            }
        }
    }

    @Test
    void anyServerOfTheClusterTellsTheWayIn() throws TatamiException {
        try (MetadataServer one = join("one", 0);
                MetadataServer two = join("two", one.address())) {
            assertEquals(List.of(1), groupsAt(first, two));
        }
    }

    /** The one it was told of at its start is a shard's, and goes; the namespace group's comes back. */
    @Test
    void aBlockServerFindsTheNamespaceByAnyServerAndAgainAfterThatOneIsGone() throws TatamiException {
        RpcSettings rpc = RpcSettings.from(Settings.defaults());
        int port = first.address().getPort();
        try (MetadataServer two = join("two", 1);
                EventLoops loops = new EventLoops("test", rpc);
                RpcClient client = new RpcClient(
                        loops, rpc, Clock.SYSTEM, ClientIdentity.simple("test", UserIdentity.of(SUPERUSER)))) {
            RoutedMetadataLink link;
            RegisterBlockServerReply registered;
            try (MetadataServer one = join("one", 0)) {
                link = new RoutedMetadataLink(client, List.of(one.address()), 5_000);
                registered = link.register(RegisterBlockServerRequest.newBuilder()
                                .addVolumeId("a volume")
                                .build())
                        .join();
                link.use(registered.getMap());
            }
            first.close();
            HeartbeatRequest heartbeat = HeartbeatRequest.newBuilder()
                    .setServerId(registered.getServerId())
                    .build();
            assertFalse(heartbeatAnswered(link, heartbeat), "nobody is there");
            first = namespace(port);
            int servers = 1 + two.map().getGroupCount();
            int tries = 0;
            while (!heartbeatAnswered(link, heartbeat)) {
                tries++;
                assertTrue(tries <= servers, "asked each server it knows of");
            }
        }
    }

    @Test
    void whoDoesNotAnswerIsToldOnceEachHasHadTheTimeToSpeak() throws TatamiException {
        int port = first.address().getPort();
        join("one", 0).close();
        first.close();
        ManualClock clock = new ManualClock();
        first = namespace(port, clock);
        assertEquals(
                ErrorCode.UNAVAILABLE,
                assertThrows(TatamiException.class, this::silentServers).code());
        clock.advance(Duration.ofSeconds(3));
        assertEquals(1, silentServers());
    }

    private long silentServers() throws TatamiException {
        return call(
                        first,
                        SUPERUSER,
                        GroupId.NAMESPACE,
                        MetaMethods.LIST_METADATA_SERVERS,
                        ListMetadataServersRequest.getDefaultInstance())
                .getServerList()
                .stream()
                .filter(server -> !server.getAnswers())
                .count();
    }

    private static boolean heartbeatAnswered(RoutedMetadataLink link, HeartbeatRequest heartbeat) {
        return link.heartbeat(heartbeat)
                .handle((reply, failure) -> failure == null)
                .join();
    }

    @Test
    void safeModeHoldsAtEveryServerWhenItIsAnswered() throws TatamiException {
        try (MetadataServer one = join("one", 0);
                MetadataServer two = join("two", 1)) {
            for (int round = 0; round < 3; round++) {
                safeMode(SafeModeRequest.Action.ENTER);
                assertTrue(one.map().getSafeMode() && two.map().getSafeMode());
                safeMode(SafeModeRequest.Action.LEAVE);
                assertTrue(!one.map().getSafeMode() && !two.map().getSafeMode());
            }
        }
    }

    private void safeMode(SafeModeRequest.Action action) throws TatamiException {
        call(
                first,
                SUPERUSER,
                GroupId.NAMESPACE,
                MetaMethods.SAFE_MODE,
                SafeModeRequest.newBuilder().setAction(action).build());
    }

    @Test
    void aMembersDirectoryIsNoClustersAndNoOtherClusters() throws Exception {
        join("one", 0).close();
        ServerLocation member = new ServerLocation(directory.resolve("one"), HOST, 0);
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                assertThrows(
                                TatamiException.class,
                                () -> MetadataServer.open(
                                        member,
                                        NewCluster.onOneServer(2),
                                        Settings.defaults(),
                                        user -> List.of(),
                                        Clock.SYSTEM))
                        .code());
        try (MetadataServer other = MetadataServer.open(
                new ServerLocation(directory.resolve("other"), HOST, 0),
                NewCluster.onOneServer(2),
                Settings.defaults(),
                user -> List.of(),
                Clock.SYSTEM)) {
            assertEquals(
                    ErrorCode.WRONG_CLUSTER,
                    assertThrows(TatamiException.class, () -> join("one", other.address()))
                            .code());
        }
    }
}
