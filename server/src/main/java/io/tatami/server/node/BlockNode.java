package io.tatami.server.node;

import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.ServerId;
import io.tatami.base.TatamiException;
import io.tatami.block.cache.CacheTier;
import io.tatami.block.cache.Stager;
import io.tatami.block.device.Device;
import io.tatami.block.device.IoThreads;
import io.tatami.block.device.MemoryDevice;
import io.tatami.block.service.BlockServer;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.registration.IdentityFile;
import io.tatami.block.service.registration.RoutedMetadataLink;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.format.CacheVolume;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.BlockServerStatusReply;
import io.tatami.protocol.wire.DiagnosticsReply;
import io.tatami.protocol.wire.DiagnosticsRequest;
import io.tatami.protocol.wire.Endpoint;
import io.tatami.protocol.wire.RegisterBlockServerRequest;
import io.tatami.rpc.Handler;
import io.tatami.rpc.RequestObserver;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.server.RpcServer;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import io.tatami.rpc.netty.shared.ServerIdentity;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A block server with its volumes, its data port and its way to the metadata servers. Opened and closed by one thread.
 */
public final class BlockNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BlockNode.class);
    private static final int CACHE_IO_THREADS = 4;
    private static final long METADATA_TIMEOUT_MILLIS = 10_000;
    private static final long REGISTRATION_SECONDS_MAX = 60;

    /** Closed from the last to the first. */
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    private final InetSocketAddress address;
    private final ServerId id;
    private final BlockServer server;
    private final CompletableFuture<String> ended;

    /**
     * Where a block server keeps what, and how it is reached.
     *
     * @param directory of its identity and indexes, and of its volume file where no volume is named
     * @param volumes devices or files; made with {@code capacityBytes} where they are not there
     * @param host the name tasks are scheduled by, and which clients connect to
     * @param port 0 for any
     * @param cache of the cache tier; null for none
     * @param rack as a path such as {@code /room1/rack7}; empty where the cluster is to find it out
     */
    public record Setup(
            Path directory,
            List<Path> volumes,
            long capacityBytes,
            String host,
            int port,
            @Nullable CachePlace cache,
            String rack) {
        /** Without a cache tier. */
        public Setup(Path directory, List<Path> volumes, long capacityBytes, String host, int port) {
            this(directory, volumes, capacityBytes, host, port, null, "");
        }
    }

    /**
     * Where a cache tier keeps its copies.
     *
     * @param path a device, or a file, made where it is not there; null for the memory of this process
     * @param sizeBytes of memory, or of a file that is made
     */
    public record CachePlace(@Nullable Path path, long sizeBytes) {}

    /**
     * What a block server is watched by.
     *
     * @param requests told of each request that the server answers
     * @param diagnostics of its process, which metadata servers ask for; null for none
     */
    public record Watch(RequestObserver requests, @Nullable Handler<DiagnosticsRequest, DiagnosticsReply> diagnostics) {
        /** Of a server that nobody watches. */
        public static final Watch NONE = new Watch(RequestObserver.NONE, null);
    }

    private BlockNode(
            Setup setup, UUID cluster, List<InetSocketAddress> metadata, BlockServerSettings settings, Watch watch)
            throws TatamiException {
        try {
            RpcSettings rpc = RpcSettings.from(SystemSettings.get());
            EventLoops loops = keep(new EventLoops("block", rpc));
            ServerVolumes places = keep(new ServerVolumes(setup, cluster, settings.buffersBytes()));
            VolumeSet volumes = VolumesAtStart.open(setup, places);
            CacheTier tier = setup.cache() == null ? null : openCache(setup.cache(), volumes, cluster);
            RpcClient client = keep(new RpcClient(
                    loops,
                    rpc,
                    Clock.SYSTEM,
                    ClientIdentity.simple("block server", UserIdentity.of(System.getProperty("user.name")))
                            .of(cluster)));
            BlockServer server = keep(new BlockServer(
                    settings,
                    volumes,
                    tier,
                    new IdentityFile(setup.directory(), cluster),
                    client,
                    Clock.SYSTEM,
                    places));
            server.handlers().observedBy(watch.requests());
            if (watch.diagnostics() != null) {
                server.diagnosedBy(watch.diagnostics());
            }
            ended = server.superseded();
            this.server = server;
            RpcServer listener = keep(new RpcServer(
                    loops, rpc, Clock.SYSTEM, ServerIdentity.simple("block server", cluster), server.handlers()));
            address = (InetSocketAddress) listener.start(new InetSocketAddress(setup.host(), setup.port()));
            CrashPoint.hit("service.open.listens");
            id = join(server, new RoutedMetadataLink(client, metadata, METADATA_TIMEOUT_MILLIS), setup);
            LOG.info("block server {} serves at {}", id, address);
        } catch (TatamiException | RuntimeException e) {
            PartsCloser.closeAfter(parts, e);
            throw e;
        }
    }

    /**
     * Opens the volumes, making and formatting those that are not there and leaving out those that are broken, listens,
     * and returns once the cluster knows the server and sends it blocks.
     *
     * @param cluster the cluster's id
     * @param metadata addresses of metadata servers
     * @throws TatamiException what the volumes, the port or the metadata service refuse
     */
    public static BlockNode open(
            Setup setup, UUID cluster, List<InetSocketAddress> metadata, BlockServerSettings settings)
            throws TatamiException {
        return open(setup, cluster, metadata, settings, Watch.NONE);
    }

    /** The same, watched. */
    public static BlockNode open(
            Setup setup, UUID cluster, List<InetSocketAddress> metadata, BlockServerSettings settings, Watch watch)
            throws TatamiException {
        return new BlockNode(setup, cluster, metadata, settings, watch);
    }

    /** What the server tells who asks for its status. */
    public BlockServerStatusReply status() {
        return server.status();
    }

    public BlockServerMetrics counts() {
        return server.metrics();
    }

    public InetSocketAddress address() {
        return address;
    }

    public ServerId id() {
        return id;
    }

    /** Completes with the reason when this serves nothing any more, as another process is this block server now. */
    public CompletableFuture<String> ended() {
        return ended;
    }

    private <T extends AutoCloseable> T keep(T part) {
        parts.push(part);
        return part;
    }

    private CacheTier openCache(CachePlace setup, VolumeSet volumes, UUID cluster) throws TatamiException {
        Path path = setup.path();
        Device device = path == null
                ? new MemoryDevice(Device.alignDown(setup.sizeBytes()))
                : CacheVolume.open(path, setup.sizeBytes(), cluster);
        long dataOffset = path == null ? 0 : CacheVolume.DATA_OFFSET;
        CacheTier tier =
                new CacheTier(device, dataOffset, IoThreads.start("cache", CACHE_IO_THREADS), volumes, Clock.SYSTEM);
        keep(new Stager(tier, volumes));
        LOG.info(
                "the cache tier {} has room for {} bytes",
                device.name(),
                tier.status().capacityBytes());
        return tier;
    }

    private ServerId join(BlockServer server, RoutedMetadataLink link, Setup setup) throws TatamiException {
        RegisterBlockServerRequest registration = RegisterBlockServerRequest.newBuilder()
                .setHost(setup.host())
                .setData(Endpoint.newBuilder().setHost(setup.host()).setPort(address.getPort()))
                .setHasCache(setup.cache() != null)
                .setRack(setup.rack())
                .addStorageType("DISK")
                .build();
        try {
            return server.join(link, registration).get(REGISTRATION_SECONDS_MAX, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            Throwable refusal = server.refusal();
            throw new TatamiException(
                    ErrorCode.UNAVAILABLE,
                    "no metadata server accepted the registration within " + REGISTRATION_SECONDS_MAX + " s"
                            + (refusal == null
                                    ? "; check the URI, and that the metadata server runs"
                                    : ": " + Causes.of(refusal).getMessage()),
                    refusal == null ? e : refusal);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TatamiException failure) {
                throw failure.again();
            }
            throw new IllegalStateException("registration failed", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.CANCELLED, "interrupted while registering", e);
        }
    }

    @Override
    public void close() throws TatamiException {
        PartsCloser.close(parts);
    }
}
