package io.tatami.meta.service.host;

import com.google.protobuf.ByteString;
import io.tatami.base.Clock;
import io.tatami.base.CrashPoint;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.LockFile;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.conf.Setting;
import io.tatami.conf.Settings;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.cluster.ReplicateGroups;
import io.tatami.meta.service.cluster.ClusterMapHolder;
import io.tatami.meta.store.StoreMemory;
import io.tatami.meta.store.StoreSettings;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.HeldReplica;
import io.tatami.protocol.wire.RegisterMetadataServerRequest;
import io.tatami.protocol.wire.ReportMetadataServerReply;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.GroupLeaders;
import io.tatami.rpc.GroupRoutes;
import io.tatami.rpc.netty.ClientIdentity;
import io.tatami.rpc.netty.EventLoops;
import io.tatami.rpc.netty.RpcClient;
import io.tatami.rpc.netty.RpcServer;
import io.tatami.rpc.netty.RpcSettings;
import io.tatami.rpc.netty.ServerIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A metadata server: the groups of its directory behind one port. Opened and closed by one thread. The directory holds
 * the server's identity and a store for each group:
 *
 * <pre>
 *  DIR/metadata-server.id   DIR/lock   DIR/namespace   DIR/shard-0   DIR/shard-1 …
 *  DIR/raft                 the logs of replicated groups
 * </pre>
 */
public final class MetadataServer implements AutoCloseable {
    /** What can be configured about a metadata server beside its store, its files and its tree. */
    public static final List<Setting<?>> SETTINGS = List.of(SpaceGuard.RESERVE, RaftPort.PORT, RaftPort.BIND_HOST);

    private static final int READERS = 4;
    private static final long MAP_TIMEOUT_MILLIS = 5_000;
    private static final long START_TIMEOUT_MILLIS = 2_000;

    /** How long a start waits for a leader of a replicated namespace, before it goes on without. */
    private static final long ELECTION_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Logger LOG = LoggerFactory.getLogger(MetadataServer.class);

    private final Resources resources = new Resources();
    private final long run = new SecureRandom().nextLong();
    private final OwnIdentity own;
    private final ClusterMapHolder maps;
    private final ServerReplication replication;
    private final HostedGroups groups;
    private final InetSocketAddress address;

    /**
     * Where a metadata server keeps what, and how it is reached.
     *
     * @param host clients and other servers connect to; also what is listened on
     * @param port 0 for any
     */
    public record Place(Path directory, String host, int port) {}

    /**
     * What to make where the directory is new.
     *
     * @param shards of a new cluster: a power of two up to 256, fixed for its life
     * @param hosted groups of a new cluster that this server hosts, the namespace group among them; the other shards
     *     wait for servers that join
     * @param replicas how many servers are to hold each group: 1, or 3 or more and then all groups are hosted here
     *     first
     */
    public record NewCluster(int shards, List<GroupId> hosted, int replicas) {
        public NewCluster {
            if (Integer.bitCount(shards) != 1 || shards > GroupId.SHARDS_MAX) {
                throw new IllegalArgumentException(
                        shards + " shards: the number is a power of two from 1 to " + GroupId.SHARDS_MAX);
            }
            if (replicas % 2 == 0 || replicas < 1 || replicas > ReplicateGroups.REPLICAS_MAX) {
                throw new IllegalArgumentException(
                        replicas + " replicas: the number is odd, from 1 to " + ReplicateGroups.REPLICAS_MAX);
            }
            if (replicas > 1 && hosted.size() <= shards) {
                throw new IllegalArgumentException(
                        "the first server of a cluster with replicas hosts every group; leave --host-shards out");
            }
        }

        /** Each group on one server. */
        public NewCluster(int shards, List<GroupId> hosted) {
            this(shards, hosted, 1);
        }

        /** The same, with each group on several servers. */
        public NewCluster withReplicas(int count) {
            return new NewCluster(shards, hosted, count);
        }

        /** All groups on one server. */
        public static NewCluster onOneServer(int shards) {
            List<GroupId> all = new ArrayList<>();
            all.add(GroupId.NAMESPACE);
            for (int shard = 0; shard < shards; shard++) {
                all.add(GroupId.ofShard(shard));
            }
            return new NewCluster(shards, all);
        }
    }

    private MetadataServer(Place place, Start start, Settings settings, GroupMapping mapping, Clock clock)
            throws TatamiException {
        try {
            resources.keep(lock(place.directory()));
            RpcSettings rpc = RpcSettings.from(settings);
            EventLoops loops = resources.keep(new EventLoops("meta", rpc));
            own = new OwnIdentity(place.directory(), identity(start, loops, rpc, clock));
            own.change(Identity::afterMark);
            Identity identity = own.get();
            CrashPoint.hit("meta.open.identity-known");
            RpcClient client = resources.keep(
                    new RpcClient(loops, rpc, clock, clientIdentity().of(identity.cluster())));
            maps = new ClusterMapHolder(ClusterMap.newBuilder()
                    .setClusterId(identity.clusterIdBytes())
                    .setShards(identity.shards())
                    .build());
            HandleSigner signer = new HandleSigner(identity.handleKey());
            ServiceCredential credential = new ServiceCredential(signer, identity.cluster());
            ExecutorService readers = resources.keep(Executors.newFixedThreadPool(READERS), "readers");
            ScheduledExecutorService timer = resources.keep(Executors.newScheduledThreadPool(1), "timer");
            GroupLeaders leaders = new GroupLeaders();
            HostParts parts = new HostParts(
                    new RoutedPeers(client, leaders, maps::map, credential.bytes(), timer, clock),
                    signer,
                    clock,
                    settings,
                    readers,
                    timer);
            SpaceGuard space = SpaceGuard.of(place.directory(), settings.get(SpaceGuard.RESERVE));
            BackgroundRunner spaceWatch = new BackgroundRunner("disk space", space::look, timer);
            resources.keep(spaceWatch::close);
            spaceWatch.wake();
            Callers callers = new Callers(mapping, readers, clock, identity.superuser(), "supergroup");
            StoreMemory memory = resources.keep(new StoreMemory(StoreSettings.from(settings)));
            announceStart(place, start, client, memory, CallOptions.DEFAULT.withCredential(credential.bytes()));
            replication = replication(place, settings, memory);
            Dispatch dispatch = new Dispatch(callers, credential, maps, space, this::leader);
            groups = resources.keep(new HostedGroups(own, replication, parts, maps, dispatch));
            groups.open();
            RpcServer listener = resources.keep(new RpcServer(
                    loops,
                    rpc,
                    clock,
                    new ServerIdentity(
                            "metadata server",
                            identity.cluster(),
                            () -> maps.map().getEpoch(),
                            ServerIdentity.simple("", identity.cluster()).authenticator()),
                    dispatch.table()));
            address = (InetSocketAddress) listener.start(new InetSocketAddress(place.host(), place.port()));
            CrashPoint.hit("meta.open.listens");
            groups.start();
            join(
                    new ClusterMember(
                            namespaceRoutes(client, leaders, start.seeds()),
                            maps,
                            CallOptions.DEFAULT.withCredential(credential.bytes()),
                            new Membership(place, resources.keep(new ReplicaOrders(groups, clock)))),
                    leaders,
                    timer,
                    clock);
            CrashPoint.hit("meta.open.announced");
            LOG.info("cluster {}: groups {} serve at {}", identity.cluster(), groups.ids(), address);
        } catch (TatamiException | RuntimeException e) {
            resources.closeAfter(e);
            throw e;
        }
    }

    /** Keeps a second server off a directory. */
    private static LockFile lock(Path directory) throws TatamiException {
        Path file = directory.resolve("lock");
        try {
            Files.createDirectories(directory);
            Optional<LockFile> lock = LockFile.take(file);
            if (lock.isPresent()) {
                return lock.get();
            }
            String holder = LockFile.holder(file)
                    .map(process -> ", by process " + process.pid())
                    .orElse("");
            throw new TatamiException(
                    ErrorCode.IN_USE, directory + " is served already" + holder + "; stop that one first");
        } catch (TatamiException e) {
            throw e;
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot lock " + file + ": " + e, e);
        }
    }

    /**
     * Opens the server of a directory. One that is new, or empty, is made into a cluster as {@code fresh} says.
     *
     * @throws TatamiException IN_USE where another process serves the directory or the port; INVALID_ARGUMENT where the
     *     directory is of a server that joined a cluster; CORRUPT and the like for what is stored
     */
    public static MetadataServer open(
            Place place, NewCluster fresh, Settings settings, GroupMapping mapping, Clock clock)
            throws TatamiException {
        return new MetadataServer(
                place, new Start.Founding(place, fresh, raftPort(settings)), settings, mapping, clock);
    }

    /**
     * Opens the server of a directory as a member of a running cluster; one that is new is given shards that nobody
     * hosts. One that has shards already serves also while the namespace group does not answer, and is known to the
     * cluster as soon as it does.
     *
     * @param seeds metadata servers of the cluster
     * @param shards which to ask for; empty for all that nobody hosts
     * @throws TatamiException as {@link #open}; IN_USE also where its groups belong to another server; WRONG_CLUSTER;
     *     UNAVAILABLE where the server is new and the namespace group does not answer
     */
    public static MetadataServer join(
            Place place,
            List<InetSocketAddress> seeds,
            List<Integer> shards,
            Settings settings,
            GroupMapping mapping,
            Clock clock)
            throws TatamiException {
        return new MetadataServer(
                place, new Start.Joining(place, seeds, shards, raftPort(settings)), settings, mapping, clock);
    }

    public UUID cluster() {
        return own.get().cluster();
    }

    public InetSocketAddress address() {
        return address;
    }

    /** The newest map here. */
    public ClusterMap map() {
        return maps.map();
    }

    /**
     * Completes with the reason once no group here is served any more, on a thread that must not be held up: after
     * errors of the disk, or because the groups belong to another server. Also when this is closed.
     */
    public CompletableFuture<String> ended() {
        return groups.ended();
    }

    private static Identity identity(Start start, EventLoops loops, RpcSettings rpc, Clock clock)
            throws TatamiException {
        try (RpcClient stranger = new RpcClient(loops, rpc, clock, clientIdentity())) {
            return start.identity(stranger);
        }
    }

    private static ClientIdentity clientIdentity() {
        return ClientIdentity.simple("metadata server", UserIdentity.of(System.getProperty("user.name")));
    }

    private static RaftPort raftPort(Settings settings) throws TatamiException {
        return new RaftPort(settings.get(RaftPort.PORT));
    }

    /**
     * Asks the cluster, where it answers, whether this directory is the newest of its server, before any replica in it
     * votes. Where nobody answers, as when all servers start at once, that is asked when the server registers.
     */
    private void announceStart(Place place, Start start, RpcClient client, StoreMemory memory, CallOptions options)
            throws TatamiException {
        Identity identity = own.get();
        if (identity.replicas().port() == 0 || !identity.made() || hasOwnNamespace(identity)) {
            return;
        }
        List<InetSocketAddress> others = new ArrayList<>(start.seeds());
        others.addAll(RememberedServers.at(place.directory().resolve(GroupId.NAMESPACE.toString()), memory));
        try {
            var unused = Awaiting.result(new GroupRoutes(client, new GroupLeaders(), () -> others, START_TIMEOUT_MILLIS)
                    .call(
                            GroupId.NAMESPACE,
                            MetaMethods.REGISTER_METADATA_SERVER,
                            options.withTimeoutMillis(START_TIMEOUT_MILLIS),
                            RegisterMetadataServerRequest.newBuilder()
                                    .setServerId(identity.serverIdBytes())
                                    .setMarks(identity.marks())
                                    .setRun(run)
                                    .build()));
        } catch (TatamiException e) {
            if (!e.code().isRetryable()) {
                throw e;
            }
            LOG.info("the namespace group does not answer before the start of this server: {}", e.getMessage());
        }
    }

    /** Whether the namespace is this server's alone, and nobody else could say anything of it. */
    private static boolean hasOwnNamespace(Identity identity) {
        return identity.hostsNamespace() && !identity.isReplicated(GroupId.NAMESPACE);
    }

    private ServerReplication replication(Place place, Settings settings, StoreMemory memory) throws TatamiException {
        GroupStores stores = new GroupStores(place.directory(), own.get());
        return new ServerReplication(
                own,
                raftPort(settings),
                place,
                new LocalReplication(stores, memory),
                () -> RaftReplication.open(own, place, settings, stores, memory));
    }

    /** Who leads a group that does not lead here, for {@link Dispatch}. */
    private String leader(GroupId group) {
        return replication
                .leader(group)
                .filter(server -> !server.equals(own.get().server()))
                .map(server -> maps.endpoint(ByteString.copyFrom(UuidBytes.of(server))))
                .filter(endpoint -> endpoint.getPort() != 0)
                .map(GroupLeaders::detail)
                .orElse("");
    }

    /**
     * Where this server reports. Without a replica of that group it keeps to itself where it takes the namespace's
     * leader to be: the groups here are at work already, and share what the map of the start before says, which may
     * name another address.
     */
    private GroupRoutes namespaceRoutes(RpcClient client, GroupLeaders shared, List<InetSocketAddress> seeds) {
        GroupLeaders leaders = own.get().isReplicated(GroupId.NAMESPACE) ? shared : new GroupLeaders();
        if (own.get().hostsNamespace() && seeds.isEmpty()) {
            leaders.assume(GroupId.NAMESPACE, address);
        }
        return new GroupRoutes(
                client,
                leaders,
                () -> Stream.concat(seeds.stream(), replication.knownServers().stream())
                        .toList(),
                MAP_TIMEOUT_MILLIS);
    }

    /** What the cluster hears of this server, and has it do. */
    private final class Membership implements ClusterMember.Here {
        private final Place place;
        private final ReplicaOrders orders;

        Membership(Place place, ReplicaOrders orders) {
            this.place = place;
            this.orders = orders;
        }

        @Override
        public RegisterMetadataServerRequest registration() {
            return MetadataServer.this.registration(place);
        }

        @Override
        public List<Integer> led() {
            return groups.led();
        }

        @Override
        public List<HeldReplica> held() {
            return groups.held();
        }

        @Override
        public void follow(ReportMetadataServerReply reply) {
            orders.follow(reply);
        }

        @Override
        public void stopServing(String reason) {
            groups.stop(reason);
        }
    }

    private RegisterMetadataServerRequest registration(Place place) {
        Identity identity = own.get();
        RegisterMetadataServerRequest.Builder registration = RegisterMetadataServerRequest.newBuilder()
                .setServerId(identity.serverIdBytes())
                .setEndpoint(endpoint(place, address.getPort()))
                .setMarks(identity.marks())
                .setRun(run);
        for (GroupId group : groups.ids()) {
            registration.addHostedGroup(group.value());
            if (identity.isReplicated(group)) {
                registration.addReplicatedGroup(group.value());
            }
        }
        if (identity.replicas().port() != 0) {
            registration.setRaft(endpoint(place, identity.replicas().port()));
        }
        return registration.build();
    }

    private static Endpoint endpoint(Place place, int port) {
        return Endpoint.newBuilder().setHost(place.host()).setPort(port).build();
    }

    /** Tells the namespace group where the groups here are, and from then on keeps the map fresh. */
    private void join(ClusterMember member, GroupLeaders leaders, ScheduledExecutorService timer, Clock clock)
            throws TatamiException {
        CrashPoint.hit("meta.open.before-announcing");
        try {
            register(member, clock);
        } catch (TatamiException e) {
            if (hasOwnNamespace(own.get()) || !e.code().isRetryable()) {
                throw e;
            }
            LOG.warn("the namespace group does not answer; this server serves what it can until it does", e);
        }
        BackgroundRunner membership = new BackgroundRunner("cluster.member", member::run, timer);
        resources.keep(membership::close);
        groups.whenLeading(() -> {
            if (groups.led().contains(GroupId.NAMESPACE.value())) {
                leaders.assume(GroupId.NAMESPACE, address);
            }
            membership.wake();
        });
        membership.wake();
    }

    /** Once, and where the namespace group is replicated until it had time to elect a leader. */
    private void register(ClusterMember member, Clock clock) throws TatamiException {
        long giveUpNanos = clock.monotonicNanos() + ELECTION_NANOS;
        while (true) {
            try {
                Awaiting.result(member.register());
                return;
            } catch (TatamiException e) {
                boolean isPatient =
                        own.get().isReplicated(GroupId.NAMESPACE) && clock.monotonicNanos() - giveUpNanos < 0;
                if (!isPatient || !e.code().isRetryable()) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    @Override
    public void close() throws TatamiException {
        resources.close();
    }
}
