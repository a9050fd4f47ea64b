package io.tatami.meta.service.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.TatamiPath;
import io.tatami.conf.Settings;
import io.tatami.files.CrashPoint;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.log.local.LocalLog;
import io.tatami.meta.service.identity.Identity;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.Records;
import io.tatami.meta.state.wire.GroupRecord;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreMemory;
import io.tatami.meta.store.StoreSettings;
import io.tatami.protocol.Audience;
import io.tatami.protocol.DeclaredMethods;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.CreateModes;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.GetClusterMapRequest;
import io.tatami.protocol.wire.GetDirectoryRequest;
import io.tatami.protocol.wire.GiveCreditsRequest;
import io.tatami.protocol.wire.GroupStatusRequest;
import io.tatami.protocol.wire.HeartbeatReply;
import io.tatami.protocol.wire.HeartbeatRequest;
import io.tatami.protocol.wire.MkdirsRequest;
import io.tatami.protocol.wire.RegisterBlockServerReply;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import io.tatami.protocol.wire.SafeModeRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MetadataServerTest {
    private static final String SUPERUSER = System.getProperty("user.name");
    private static final NewCluster TWO_SHARDS = NewCluster.onOneServer(2);

    private static final long GROUPS_AT_WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    @TempDir
    private Path directory = Path.of("");

    @AfterEach
    void passCrashPoints() {
        CrashPoint.listen(null);
    }

    private MetadataServer open() throws TatamiException {
        return open(directory.resolve("one"), TWO_SHARDS);
    }

    private static MetadataServer open(Path where, NewCluster fresh) throws TatamiException {
        ServerLocation location = new ServerLocation(where, "127.0.0.1", 0);
        return MetadataServer.open(location, fresh, Settings.defaults(), user -> List.of("users"), Clock.SYSTEM);
    }

    static <Q extends Message, R extends Message> R call(
            MetadataServer server, String user, GroupId group, Method<Q, R> method, Q request) throws TatamiException {
        RpcSettings settings = RpcSettings.from(Settings.defaults());
        try (EventLoops loops = new EventLoops("test", settings);
                RpcClient client = new RpcClient(
                        loops, settings, Clock.SYSTEM, ClientIdentity.simple("test", UserIdentity.of(user)))) {
            Connection connection = client.connect(server.address()).join();
            return connection.callAndWait(method, CallOptions.DEFAULT.withGroup(group), request);
        }
    }

    private static ErrorCode refusal(MetadataServer server, String user, GroupId group, Method<?, ?> method) {
        return assertThrows(TatamiException.class, () -> callEmpty(server, user, group, method))
                .code();
    }

    private static <Q extends Message> Message callEmpty(
            MetadataServer server, String user, GroupId group, Method<Q, ?> method) throws Exception {
        return call(server, user, group, method, method.requestParser().parseFrom(new byte[0]));
    }

    static MkdirsRequest mkdirs(String path) {
        return MkdirsRequest.newBuilder()
                .setPath(path)
                .setModes(CreateModes.newBuilder().setUnmasked(0777).setMasked(0755))
                .setCreateParents(true)
                .build();
    }

    private static boolean exists(MetadataServer server, String path) throws TatamiException {
        try {
            GetDirectoryRequest request =
                    GetDirectoryRequest.newBuilder().setPath(path).build();
            return call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.GET_DIRECTORY, request)
                    .hasStatus();
        } catch (TatamiException e) {
            assertEquals(ErrorCode.NOT_FOUND, e.code());
            return false;
        }
    }

    @Test
    void groupsOfAnotherReleaseAreRefused() throws TatamiException {
        open().close();
        for (int version : new int[] {Identity.GROUP_FORMAT_OLDEST - 1, Identity.GROUP_FORMAT_VERSION + 1}) {
            setFormatVersion(directory.resolve("one").resolve(GroupId.ofShard(1).toString()), version);
            TatamiException refused = assertThrows(TatamiException.class, this::open);
            assertEquals(
                    version < Identity.GROUP_FORMAT_VERSION ? ErrorCode.FORMAT_TOO_OLD : ErrorCode.FORMAT_TOO_NEW,
                    refused.code());
            assertTrue(refused.toString().contains(GroupId.ofShard(1).toString()), refused::toString);
        }
    }

    @Test
    void aGroupOfTheVersionBeforeIsOpenedAndRefusedByReleasesBeforeFromThenOn() throws TatamiException {
        open().close();
        Path shard = directory.resolve("one").resolve(GroupId.ofShard(1).toString());
        setFormatVersion(shard, Identity.GROUP_FORMAT_OLDEST);
        open().close();
        try (StoreMemory memory = new StoreMemory(new StoreSettings(16 << 20, 8 << 20, 64, 1));
                GroupStore store = GroupStore.open(shard, memory)) {
            byte[] stored = Objects.requireNonNull(store.liveView().get(Keys.singleton("group")));
            assertEquals(
                    Identity.GROUP_FORMAT_VERSION,
                    Records.parse(stored, GroupRecord.parser()).getFormatVersion());
        }
    }

    private static void setFormatVersion(Path shard, int version) throws TatamiException {
        try (StoreMemory memory = new StoreMemory(new StoreSettings(16 << 20, 8 << 20, 64, 1));
                GroupStore store = GroupStore.open(shard, memory)) {
            Draft draft = new Draft(store.liveView());
            byte[] key = Keys.singleton("group");
            GroupRecord group = Records.parse(Objects.requireNonNull(draft.get(key)), GroupRecord.parser());
            draft.put(key, group.toBuilder().setFormatVersion(version).build().toByteArray());
            UUID cluster = UuidBytes.get(group.getClusterId().asReadOnlyByteBuffer());
            LocalLog log =
                    new LocalLog(new LocalLog.Location(shard, cluster, new GroupId(group.getGroup())), store, 1 << 20);
            log.commit(new LogEntry(store.appliedIndex() + 1, store.logMillis(), draft.changes()));
            log.close();
        }
    }

    @Test
    void whatWasMadeIsThereAfterARestart() throws TatamiException {
        try (MetadataServer server = open()) {
            call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.MKDIRS, mkdirs("/a/b"));
        }
        try (MetadataServer server = open()) {
            assertTrue(exists(server, "/a/b"));
        }
    }

    /** What a server's start and a client's session log is the same with them and without. */
    @Test
    void mkdirsOfWhatIsThereIsNoEntryOfTheLog() throws Exception {
        Path namespace = directory.resolve("one").resolve(GroupId.NAMESPACE.toString());
        makeOften(1);
        long before = applied(namespace);
        makeOften(1);
        long startsAlone = applied(namespace) - before;
        makeOften(500);
        long starts = applied(namespace) - before - startsAlone;
        assertTrue(starts < startsAlone + 50, starts + " entries, where a start alone has " + startsAlone);
    }

    private void makeOften(int times) throws Exception {
        try (MetadataServer server = open();
                TatamiClient client = TatamiClient.connect(
                        "127.0.0.1:" + server.address().getPort(), UserIdentity.of(SUPERUSER), Settings.defaults())) {
            for (int i = 0; i < times; i++) {
                client.mkdirs(TatamiPath.of("/a/b"), mkdirs("/a/b").getModes(), true);
            }
        }
    }

    private static long applied(Path group) throws TatamiException {
        try (StoreMemory memory = new StoreMemory(new StoreSettings(16 << 20, 8 << 20, 64, 1));
                GroupStore store = GroupStore.open(group, memory)) {
            return store.appliedIndex();
        }
    }

    /**
     * The groups are given time to use the map that they were stored with, whose address nobody listens on any more.
     */
    @Test
    void aServerStartsAtAnotherPortHoweverLongItsGroupsWereAtWorkBefore() throws TatamiException {
        int before;
        try (MetadataServer server = open()) {
            call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.MKDIRS, mkdirs("/a"));
            before = server.address().getPort();
        }
        CrashPoint.listen(point -> {
            if (point.equals("meta.open.before-announcing")) {
                LockSupport.parkNanos(GROUPS_AT_WORK_NANOS);
            }
        });
        try (MetadataServer server = open()) {
            assertNotEquals(before, server.address().getPort());
            assertTrue(exists(server, "/a"));
        }
    }

    @Test
    void whereOneGroupCannotWriteAllFindOutAndTheServerHasEnded() throws TatamiException {
        try (MetadataServer server = open()) {
            CompletableFuture<String> ended = server.ended();
            assertFalse(ended.isDone());
            CrashPoint.listen(MetadataServerTest::failCommits);

            assertEquals(
                    ErrorCode.UNAVAILABLE, refusal(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.OPEN_SESSION));

            assertTrue(ended.join().contains("the disk is gone"), ended::join);
        }
    }

    @Test
    void aGroupThatStopsAloneLeavesTheOthersServing() throws Exception {
        try (MetadataServer server = open()) {
            AtomicBoolean failed = new AtomicBoolean();
            CrashPoint.listen(point -> {
                if (!failed.get() && Thread.currentThread().getName().equals("group-namespace")) {
                    failed.set(point.equals("meta.batch.before-commit"));
                    failCommits(point);
                }
            });

            assertEquals(
                    ErrorCode.UNAVAILABLE, refusal(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.OPEN_SESSION));

            GiveCreditsRequest credits = GiveCreditsRequest.newBuilder()
                    .setServerId(1)
                    .setSequence(1)
                    .setBlocks(1)
                    .build();
            for (int shard = 0; shard < 2; shard++) {
                call(server, SUPERUSER, GroupId.ofShard(shard), MetaMethods.GIVE_CREDITS, credits);
            }
            assertFalse(server.ended().isDone());
        }
    }

    private static void failCommits(String point) {
        if (point.equals("meta.batch.before-commit")) {
            throw new IllegalStateException("the disk is gone");
        }
    }

    @Test
    void aSecondServerOfTheSameDirectoryIsRefused() throws TatamiException {
        try (MetadataServer server = open()) {
            TatamiException refused = assertThrows(TatamiException.class, this::open);
            assertEquals(ErrorCode.IN_USE, refused.code());
            assertTrue(
                    refused.toString()
                            .contains(Long.toString(ProcessHandle.current().pid())),
                    refused.toString());
            assertEquals(3, server.map().getGroupCount());
        }
    }

    @Test
    void aStoreThatIsLostIsNotMadeAnew() throws TatamiException, IOException {
        open().close();
        delete(directory.resolve("one").resolve("shard-1"));
        assertEquals(
                ErrorCode.CORRUPT,
                assertThrows(TatamiException.class, this::open).code());
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Whoever has the log has all, and so may lead: nothing is in a store that was not in the log or in a snapshot. */
    @Test
    void aReplicasStoreIsMadeOfItsLogAlone() throws Exception {
        Path where = directory.resolve("replicated");
        NewCluster replicated = TWO_SHARDS.withReplicas(3);
        try (MetadataServer server = open(where, replicated)) {
            patiently(() -> call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.MKDIRS, mkdirs("/a")));
        }
        for (String store : List.of("namespace", "shard-0", "shard-1")) {
            delete(where.resolve(store));
        }
        try (MetadataServer server = open(where, replicated)) {
            assertTrue(patiently(() -> exists(server, "/a")));
            for (GroupId group : List.of(GroupId.NAMESPACE, GroupId.ofShard(0), GroupId.ofShard(1))) {
                patiently(() -> callEmpty(server, SUPERUSER, group, MetaMethods.GROUP_STATUS));
            }
        }
    }

    /** Until somebody leads. */
    private static <T> T patiently(Callable<T> call) throws Exception {
        long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            try {
                return call.call();
            } catch (TatamiException e) {
                if (!e.code().isRetryable() || System.nanoTime() - giveUpNanos > 0) {
                    throw e;
                }
                Thread.sleep(20);
            }
        }
    }

    @Test
    void aFirstStartThatWasCutOffIsBegunAnew() throws TatamiException {
        for (String point : List.of("meta.format.store-made", "meta.format.group-recorded")) {
            Path where = directory.resolve(point);
            CrashPoint.listen(name -> {
                if (name.equals(point)) {
                    throw new IllegalStateException("cut off at " + point);
                }
            });
            assertThrows(IllegalStateException.class, () -> open(where, TWO_SHARDS));
            CrashPoint.listen(null);
            try (MetadataServer server = open(where, TWO_SHARDS)) {
                call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.MKDIRS, mkdirs("/a"));
                assertTrue(exists(server, "/a"));
            }
        }
    }

    @Test
    void aServerThatJoinsTakesTheShardsThatNobodyHas() throws TatamiException {
        NewCluster namespaceOnly = new NewCluster(2, List.of(GroupId.NAMESPACE));
        try (MetadataServer first = open(directory.resolve("one"), namespaceOnly)) {
            ServerLocation location = new ServerLocation(directory.resolve("two"), "127.0.0.1", 0);
            for (int start = 0; start < 2; start++) {
                InetSocketAddress seed = first.address();
                try (MetadataServer second = MetadataServer.join(
                        location, List.of(seed), List.of(), Settings.defaults(), user -> List.of(), Clock.SYSTEM)) {
                    assertEquals(first.cluster(), second.cluster());
                    assertEquals(3, second.map().getGroupCount());
                    call(first, SUPERUSER, GroupId.NAMESPACE, MetaMethods.MKDIRS, mkdirs("/made/in/start" + start));
                    assertTrue(exists(first, "/made/in/start0"));
                    assertEquals(
                            ErrorCode.NOT_LEADER,
                            refusal(second, SUPERUSER, GroupId.NAMESPACE, MetaMethods.GROUP_STATUS));
                }
            }
        }
    }

    @Test
    void inSafeModeNothingChangesAndOnlyTheSuperuserEndsIt() throws TatamiException {
        SafeModeRequest enter = SafeModeRequest.newBuilder()
                .setAction(SafeModeRequest.Action.ENTER)
                .build();
        SafeModeRequest leave = SafeModeRequest.newBuilder()
                .setAction(SafeModeRequest.Action.LEAVE)
                .build();
        try (MetadataServer server = open()) {
            assertTrue(call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.SAFE_MODE, enter)
                    .getOn());
        }
        try (MetadataServer server = open()) {
            assertEquals(
                    ErrorCode.SAFE_MODE,
                    assertThrows(
                                    TatamiException.class,
                                    () -> call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.MKDIRS, mkdirs("/no")))
                            .code());
            assertThrows(
                    TatamiException.class, () -> call(server, "ann", GroupId.NAMESPACE, MetaMethods.SAFE_MODE, leave));
            call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.SAFE_MODE, leave);
            call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.MKDIRS, mkdirs("/yes"));
        }
    }

    /** I18: what servers ask of each other is refused to users, whatever the request says. */
    @Test
    void usersMayNotAskWhatServersAsk() throws TatamiException {
        try (MetadataServer server = open()) {
            for (Method<?, ?> method : DeclaredMethods.calls(MetaMethods.class)) {
                if (method.audience() != Audience.USERS && !method.equals(MetaMethods.SET_GROUP_MEMBERS)) {
                    assertEquals(
                            ErrorCode.PERMISSION_DENIED,
                            refusal(server, "ann", servedBy(method), method),
                            method.name());
                }
            }
        }
    }

    /** Only replicated groups have members, and only processes with an HTTP port a console, diagnostics, and counts. */
    private static final Set<Method<?, ?>> NOT_SERVED_HERE = Set.of(
            MetaMethods.SET_GROUP_MEMBERS,
            MetaMethods.INVITE_ADMINISTRATOR,
            MetaMethods.DIAGNOSTICS,
            MetaMethods.GROUP_TRAFFIC);

    @Test
    void theFirstWordOfAMethodsNameTellsWhoServesIt() throws Exception {
        Set<ErrorCode> notServed = Set.of(ErrorCode.UNSUPPORTED, ErrorCode.INTERNAL, ErrorCode.NOT_LEADER);
        try (MetadataServer server = open()) {
            for (Method<?, ?> method : DeclaredMethods.calls(MetaMethods.class)) {
                boolean isServed = true;
                try {
                    callEmpty(server, SUPERUSER, servedBy(method), method);
                } catch (TatamiException e) {
                    isServed = !notServed.contains(e.code());
                }
                assertEquals(!NOT_SERVED_HERE.contains(method), isServed, method.name());
            }
        }
    }

    private static GroupId servedBy(Method<?, ?> method) {
        return method.name().startsWith("shard.") ? GroupId.ofShard(0) : GroupId.NAMESPACE;
    }

    @Test
    void statusAndMapAreForEverybody() throws TatamiException {
        try (MetadataServer server = open()) {
            call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.MKDIRS, mkdirs("/a/b/c"));
            long directories = call(
                            server,
                            "ann",
                            GroupId.NAMESPACE,
                            MetaMethods.GROUP_STATUS,
                            GroupStatusRequest.getDefaultInstance())
                    .getDirectories();
            assertTrue(directories >= 3, directories + " directories");
            assertEquals(
                    3,
                    call(
                                    server,
                                    "ann",
                                    GroupId.NAMESPACE,
                                    MetaMethods.GET_CLUSTER_MAP,
                                    GetClusterMapRequest.getDefaultInstance())
                            .getMap()
                            .getGroupCount());
        }
    }

    @Test
    void anUnknownBlockServerIsToldToRegister() throws TatamiException {
        try (MetadataServer server = open()) {
            HeartbeatRequest unknown =
                    HeartbeatRequest.newBuilder().setServerId(17).build();
            assertTrue(call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.HEARTBEAT, unknown)
                    .getRegisterAgain());
        }
    }

    @Test
    void aHeartbeatIsAnsweredWithTheMapOnlyWhereTheServersOneIsOlder() throws TatamiException {
        try (MetadataServer server = open()) {
            RegisterBlockServerReply registered = register(server, 1);
            HeartbeatRequest.Builder heartbeat = HeartbeatRequest.newBuilder()
                    .setServerId(registered.getServerId())
                    .setCapacityBytes(1L << 30)
                    .setFreeBytes(1L << 30);

            HeartbeatReply first = call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.HEARTBEAT, heartbeat.build());
            assertTrue(first.hasMap(), "a server that tells no epoch is sent the map");
            heartbeat.setMapEpoch(first.getMapEpoch());
            HeartbeatReply second =
                    call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.HEARTBEAT, heartbeat.build());
            assertFalse(second.hasMap());
            assertEquals(first.getMapEpoch(), second.getMapEpoch());
            heartbeat.setMapEpoch(first.getMapEpoch() - 1);
            assertTrue(call(server, SUPERUSER, GroupId.NAMESPACE, MetaMethods.HEARTBEAT, heartbeat.build())
                    .hasMap());
        }
    }

    /** A block server on this host, with one volume and a port of that number. */
    static RegisterBlockServerReply register(MetadataServer server, int volume) throws TatamiException {
        return call(
                server,
                SUPERUSER,
                GroupId.NAMESPACE,
                MetaMethods.REGISTER_BLOCK_SERVER,
                RegisterBlockServerRequest.newBuilder()
                        .setHost("localhost")
                        .addVolumeId("00000000-0000-0000-0000-00000000000" + volume)
                        .setData(Endpoint.newBuilder().setHost("localhost").setPort(volume))
                        .build());
    }
}
