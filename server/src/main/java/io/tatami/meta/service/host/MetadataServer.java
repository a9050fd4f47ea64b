package io.tatami.meta.service.host;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.base.UuidBytes;
import io.tatami.conf.Setting;
import io.tatami.conf.Settings;
import io.tatami.files.CrashPoint;
import io.tatami.files.LockFile;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.log.local.LocalLog;
import io.tatami.meta.service.cluster.ClusterMapHolder;
import io.tatami.meta.service.identity.Identity;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.meta.service.identity.StoredIdentity;
import io.tatami.meta.service.lead.BackgroundRunner;
import io.tatami.meta.service.lead.HostServices;
import io.tatami.meta.service.lead.SteadyClock;
import io.tatami.meta.service.replicate.GroupStores;
import io.tatami.meta.service.replicate.LocalReplication;
import io.tatami.meta.service.replicate.RaftPort;
import io.tatami.meta.service.replicate.RaftReplication;
import io.tatami.meta.service.replicate.ReplicaState;
import io.tatami.meta.service.replicate.ServerReplication;
import io.tatami.meta.service.traffic.CountedTraffic;
import io.tatami.meta.store.StoreMemory;
import io.tatami.meta.store.StoreSettings;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Method;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.GroupLeaders;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.server.RpcServer;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.rpc.netty.shared.ServerIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
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
    public static final List<Setting<?>> SETTINGS = List.of(
            SpaceGuard.RESERVE, RaftPort.PORT, RaftPort.BIND_HOST, SteadyClock.STEP_MAX, SteadyClock.START_AHEAD_MAX);

    private static final int READERS = 4;

    /** As many as changes that wait for a group; a read beyond is refused with BUSY. */
    private static final int READS_WAITING_MAX = 8_192;

    private static final Logger LOG = LoggerFactory.getLogger(MetadataServer.class);

    private final Resources resources = new Resources();
    private final StoredIdentity own;
    private final ClusterMapHolder maps;
    private final ServerReplication replication;
    private final HostedGroups groups;
    private final InetSocketAddress address;

    private MetadataServer(ServerLocation location, IdentityBootstrap start, Settings settings, HostSurroundings around)
            throws TatamiException {
        try {
            SteadyClock clock = new SteadyClock(around.clock(), settings);
            resources.keep(lock(location.directory()));
            RpcSettings rpc = RpcSettings.from(settings);
            EventLoops loops = resources.keep(new EventLoops("meta", rpc));
            own = new StoredIdentity(location.directory(), identity(start, loops, rpc, clock));
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
            ExecutorService readers =
                    resources.keep(ReaderPool.of(READERS, READS_WAITING_MAX, "meta-reader"), "readers");
            ScheduledExecutorService timer =
                    resources.keep(Executors.newScheduledThreadPool(1, Threads.daemons("meta-timer")), "timer");
            GroupLeaders leaders = new GroupLeaders();
            RoutedPeers peers = new RoutedPeers(client, leaders, maps, credential, timer, clock);
            HostServices parts = new HostServices(
                    peers,
                    signer,
                    clock,
                    settings,
                    readers,
                    timer,
                    loops::newGroupThread,
                    around.batches(),
                    around.invitations());
            SpaceGuard space = SpaceGuard.of(location.directory(), settings.get(SpaceGuard.RESERVE));
            BackgroundRunner spaceWatch = new BackgroundRunner("disk space", space::look, timer);
            resources.keep(spaceWatch::close);
            spaceWatch.wake();
            BackgroundRunner clockWatch = new BackgroundRunner("clock", clock::look, timer);
            resources.keep(clockWatch::close);
            clockWatch.wake();
            UserRightsCache callers = resources.keep(
                    new UserRightsCache(around.groups(), readers, timer, clock, identity.superuser(), "supergroup"));
            StoreMemory memory = resources.keep(new StoreMemory(StoreSettings.from(settings)));
            CallOptions options = CallOptions.DEFAULT.withCredential(credential.bytes());
            StartingServer starting = new StartingServer(own, client, start.seeds(), options);
            starting.announce(location.directory(), memory);
            replication = replication(location, settings, memory);
            Dispatch dispatch = new Dispatch(callers, credential, signer.sessions(), maps, space, this::leader);
            dispatch.table().observedBy(around.requests());
            dispatch.serveSuperusers(MetaMethods.DIAGNOSTICS, new ServerDiagnostics(around.diagnostics(), peers));
            if (around.isWatched()) {
                dispatch.countedBy(() -> new CountedTraffic(signer, clock));
            }
            groups = resources.keep(new HostedGroups(own, replication, parts, maps, dispatch));
            groups.open();
            RpcServer listener = resources.keep(new RpcServer(
                    loops, rpc, clock, ServerIdentity.simple("metadata server", identity.cluster()), dispatch.table()));
            address = (InetSocketAddress) listener.start(new InetSocketAddress(location.host(), location.port()));
            CrashPoint.hit("meta.open.listens");
            groups.start();
            ReplicaOrders orders = resources.keep(new ReplicaOrders(groups, clock));
            ClusterMember member = new ClusterMember(
                    starting.toNamespace(leaders, address, replication::knownServers),
                    maps,
                    options,
                    clock,
                    new ClusterMembership(location.host(), address, own, groups, orders, space, clock));
            starting.register(member, clock);
            keepReporting(member, leaders, timer);
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
                    ErrorCode.IN_USE, directory + " is already in use" + holder + "; stop that server first");
        } catch (TatamiException e) {
            throw e;
        } catch (IOException e) {
            throw new TatamiException(ErrorCode.IO_ERROR, "cannot lock " + file + ": " + Causes.inWords(e), e);
        }
    }

    /**
     * Opens the server of a directory. One that is new, or empty, is made into a cluster as {@code fresh} says.
     *
     * @throws TatamiException IN_USE where another process serves the directory or the port; INVALID_ARGUMENT where the
     *     directory is of a server that joined a cluster; CORRUPT and the like for what is stored
     */
    public static MetadataServer open(
            ServerLocation location, NewCluster fresh, Settings settings, HostSurroundings around)
            throws TatamiException {
        return new MetadataServer(
                location, new IdentityBootstrap.Founding(location, fresh, raftPort(settings)), settings, around);
    }

    /** One that nobody watches. */
    public static MetadataServer open(
            ServerLocation location, NewCluster fresh, Settings settings, GroupMapping mapping, Clock clock)
            throws TatamiException {
        return open(location, fresh, settings, HostSurroundings.of(mapping, clock));
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
            ServerLocation location,
            List<InetSocketAddress> seeds,
            List<Integer> shards,
            Settings settings,
            HostSurroundings around)
            throws TatamiException {
        return new MetadataServer(
                location, new IdentityBootstrap.Joining(location, seeds, shards, raftPort(settings)), settings, around);
    }

    /** One that nobody watches. */
    public static MetadataServer join(
            ServerLocation location,
            List<InetSocketAddress> seeds,
            List<Integer> shards,
            Settings settings,
            GroupMapping mapping,
            Clock clock)
            throws TatamiException {
        return join(location, seeds, shards, settings, HostSurroundings.of(mapping, clock));
    }

    public UUID cluster() {
        return own.get().cluster();
    }

    public InetSocketAddress address() {
        return address;
    }

    /** The replicas here as they are now, in the order of their groups. */
    public List<ReplicaState> replicas() {
        return groups.states();
    }

    /**
     * Has each group that leads here answer, as if one of its own servers asked; for metrics.
     *
     * @param method that changes nothing; groups that do not serve it are left out
     */
    public <Q extends Message, R extends Message> List<CompletableFuture<R>> askLed(Method<Q, R> method, Q request) {
        return groups.askLed(method, request);
    }

    /** The newest map here; at the namespace group's leader it is the cluster's. */
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

    private static Identity identity(IdentityBootstrap start, EventLoops loops, RpcSettings rpc, Clock clock)
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

    private ServerReplication replication(ServerLocation location, Settings settings, StoreMemory memory)
            throws TatamiException {
        GroupStores stores = new GroupStores(location.directory(), own.get());
        return new ServerReplication(
                own,
                raftPort(settings),
                location,
                new LocalReplication(stores, memory, settings.get(LocalLog.FILE_BYTES)),
                () -> RaftReplication.open(own, location, settings, stores, memory));
    }

    /** Who leads a group that does not lead here, for {@link Dispatch}. */
    private Detail leader(GroupId group) {
        return replication
                .leader(group)
                .filter(server -> !server.equals(own.get().server()))
                .map(server -> maps.endpoint(ByteString.copyFrom(UuidBytes.of(server))))
                .filter(endpoint -> endpoint.getPort() > 0 && endpoint.getPort() <= Detail.Leader.PORT_MAX)
                .<Detail>map(endpoint -> new Detail.Leader(endpoint.getHost(), endpoint.getPort()))
                .orElse(Detail.NONE);
    }

    /** So that the map here stays fresh. */
    private void keepReporting(ClusterMember member, GroupLeaders leaders, ScheduledExecutorService timer) {
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

    @Override
    public void close() throws TatamiException {
        resources.close();
    }
}
