package io.tatami.benchmarks.workload.ceiling;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.base.UuidBytes;
import io.tatami.benchmarks.harness.peer.MetadataCluster;
import io.tatami.conf.Settings;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.GetClusterMapReply;
import io.tatami.protocol.wire.GetClusterMapRequest;
import io.tatami.rpc.CallOptions;
import io.tatami.rpc.Connection;
import io.tatami.rpc.MapChanges;
import io.tatami.rpc.netty.client.RpcClient;
import io.tatami.rpc.netty.shared.ClientIdentity;
import io.tatami.rpc.netty.shared.EventLoops;
import io.tatami.rpc.netty.shared.RpcSettings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;

/** One setting of {@link CeilingBenchmark}. Used by one thread. */
final class CeilingRound {
    private static final double NANOS = 1e9;
    private static final double MICROS = 1e6;

    /** More than these at once would wait for each other in this process, and not for the servers. */
    private static final int TOGETHER = 32;

    private static final int CLIENTS = 8;
    private static final int HEAP_MAPS = 20;
    private static final long STALE_SECONDS_MAX = 60;

    private final MetadataCluster cluster;
    private final int servers;
    private final int shards;
    private final double seconds;
    private final ProcessHandle namespace;
    private final ProcessHandle shardsProcess;

    CeilingRound(MetadataCluster cluster, int servers, int shards, double seconds) {
        this.cluster = cluster;
        this.servers = servers;
        this.shards = shards;
        this.seconds = seconds;
        this.namespace = cluster.servers().get(0);
        this.shardsProcess = cluster.servers().get(1);
    }

    /** Something that is done again and again, and counted. */
    private interface Load {
        long run() throws Exception;
    }

    CeilingFigures run() throws Exception {
        URI uri = URI.create(cluster.configuration().get("fs.defaultFS"));
        InetSocketAddress address = InetSocketAddress.createUnresolved(uri.getHost(), uri.getPort());
        RpcSettings settings = RpcSettings.from(Settings.of(Map.of()));
        try (EventLoops loops = new EventLoops("ceiling", settings);
                RpcClient client = new RpcClient(
                        loops,
                        settings,
                        Clock.SYSTEM,
                        ClientIdentity.simple("bench", UserIdentity.of(System.getProperty("user.name"))))) {
            Connection connection = client.connect(address).get(1, TimeUnit.MINUTES);
            UUID id = UuidBytes.get(whole(connection).getClusterId().asReadOnlyByteBuffer());
            long socketsBefore = sockets();
            long begin = System.nanoTime();
            double cpuBefore = cpuSeconds(namespace);
            try (FakeFleet fleet = new FakeFleet(servers, shards, id, List.of(address), loops, settings)) {
                double joined = (System.nanoTime() - begin) / NANOS;
                double joinCores = (cpuSeconds(namespace) - cpuBefore) / joined;
                fleet.talk();
                return measure(fleet, connection, joined, joinCores, socketsBefore);
            }
        }
    }

    private CeilingFigures measure(
            FakeFleet fleet, Connection connection, double joined, double joinCores, long socketsBefore)
            throws Exception {
        warmUp(fleet, connection);
        Burst heartbeats = burst(namespace, () -> fleet.burst(FakeBlockServer::heartbeat, seconds, TOGETHER));
        Burst credits = burst(shardsProcess, () -> fleet.burst(server -> server.giveCredits(0), seconds, TOGETHER));
        Burst maps = burst(namespace, () -> ask(connection, GetClusterMapRequest.getDefaultInstance()));
        Burst changes = burst(namespace, () -> ask(connection, MapChanges.question(whole(connection))));
        double namespaceBefore = cpuSeconds(namespace);
        double shardsBefore = cpuSeconds(shardsProcess);
        long restBegin = System.nanoTime();
        double changesBytes = follow(connection);
        double rest = (System.nanoTime() - restBegin) / NANOS;
        double namespaceCores = (cpuSeconds(namespace) - namespaceBefore) / rest;
        double shardCores = (cpuSeconds(shardsProcess) - shardsBefore) / rest;
        double perServer = (double) (sockets() - socketsBefore) / servers;
        long failures = fleet.failures();
        ClusterMap newest = whole(connection);
        double heap = heapBytes(newest);
        double stale = stale(fleet, connection);
        long before = sockets();
        double[] perClient = new double[1];
        double creates = creates(() -> perClient[0] = (double) (sockets() - before) / CLIENTS);
        return new CeilingFigures(
                servers,
                joined,
                joinCores,
                namespaceCores,
                shardCores,
                heartbeats.micros(namespaceCores),
                credits.micros(shardCores),
                maps.micros(namespaceCores),
                maps.elapsedSeconds() * MICROS / Math.max(1, maps.done()),
                changes.micros(namespaceCores),
                newest.getSerializedSize(),
                changesBytes,
                heap,
                perServer,
                perClient[0],
                stale,
                creates,
                failures);
    }

    /** What a process used while something was done again and again. */
    private record Burst(double cpuSeconds, double elapsedSeconds, long done) {
        /** CPU time for each, without what the process uses at rest. */
        double micros(double restCores) {
            return Math.max(0, cpuSeconds - elapsedSeconds * restCores) * MICROS / Math.max(1, done);
        }
    }

    private static Burst burst(ProcessHandle process, Load load) throws Exception {
        double before = cpuSeconds(process);
        long begin = System.nanoTime();
        long done = load.run();
        return new Burst(cpuSeconds(process) - before, (System.nanoTime() - begin) / NANOS, done);
    }

    /** Until then the servers' processes compile what they do. */
    private void warmUp(FakeFleet fleet, Connection connection) throws Exception {
        long unused = fleet.burst(FakeBlockServer::heartbeat, seconds, TOGETHER)
                + fleet.burst(server -> server.giveCredits(0), seconds, TOGETHER)
                + ask(connection, GetClusterMapRequest.getDefaultInstance());
    }

    /** Asks once a second for what has changed; bytes a minute. */
    private double follow(Connection connection) throws Exception {
        ClusterMap known = whole(connection);
        long bytes = 0;
        int times = (int) Math.max(2, 2 * seconds);
        for (int i = 0; i < times; i++) {
            TimeUnit.SECONDS.sleep(1);
            GetClusterMapReply reply = call(connection, MapChanges.question(known));
            bytes += reply.getSerializedSize();
            known = MapChanges.read(known, reply);
        }
        if (!known.getBlockServerList().stream().allMatch(CeilingRound::isActive)) {
            throw new IOException("not every block server is active; this machine is too slow for " + servers);
        }
        return bytes * 60.0 / times;
    }

    private static boolean isActive(BlockServerInfo server) {
        return server.getState() == BlockServerInfo.State.ACTIVE;
    }

    private long ask(Connection connection, GetClusterMapRequest request) throws Exception {
        long end = System.nanoTime() + (long) (seconds * NANOS);
        long asked = 0;
        while (System.nanoTime() < end) {
            GetClusterMapReply unused = call(connection, request);
            asked++;
        }
        return asked;
    }

    private static ClusterMap whole(Connection connection) throws Exception {
        return call(connection, GetClusterMapRequest.getDefaultInstance()).getMap();
    }

    private static GetClusterMapReply call(Connection connection, GetClusterMapRequest request) throws Exception {
        return connection
                .call(MetaMethods.GET_CLUSTER_MAP, CallOptions.DEFAULT, request)
                .get(1, TimeUnit.MINUTES);
    }

    /** What one map takes, each parsed for itself. */
    private static double heapBytes(ClusterMap map) throws InvalidProtocolBufferException {
        byte[] bytes = map.toByteArray();
        List<ClusterMap> maps = new ArrayList<>();
        long before = usedHeap();
        for (int i = 0; i < HEAP_MAPS; i++) {
            maps.add(ClusterMap.parseFrom(bytes));
        }
        double each = (double) (usedHeap() - before) / maps.size();
        return Math.max(0, each);
    }

    private static long usedHeap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private double stale(FakeFleet fleet, Connection connection) throws Exception {
        int server = fleet.silence(0);
        long begin = System.nanoTime();
        ClusterMap known = whole(connection);
        while (isActive(known, server)) {
            if (System.nanoTime() - begin > STALE_SECONDS_MAX * NANOS) {
                throw new IOException("a silent block server is active after " + STALE_SECONDS_MAX + " s");
            }
            TimeUnit.MILLISECONDS.sleep(100);
            known = follow(connection, known);
        }
        return (System.nanoTime() - begin) / NANOS;
    }

    private static ClusterMap follow(Connection connection, ClusterMap known) throws Exception {
        try {
            return MapChanges.read(known, call(connection, MapChanges.question(known)));
        } catch (TatamiException e) {
            throw new IOException("a metadata server told changes of another map", e);
        }
    }

    private static boolean isActive(ClusterMap map, int server) {
        return map.getBlockServerList().stream().anyMatch(info -> info.getServerId() == server && isActive(info));
    }

    /** @param whenAllWork run while all clients are there */
    private double creates(Runnable whenAllWork) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        List<FileSystem> clients = new ArrayList<>();
        try {
            for (int i = 0; i < CLIENTS; i++) {
                FileSystem fs = FileSystem.newInstance(cluster.configuration());
                clients.add(fs);
                fs.mkdirs(directory(i));
            }
            whenAllWork.run();
            long begin = System.nanoTime();
            long end = begin + (long) (seconds * NANOS);
            List<Future<Long>> work = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                work.add(threads.submit(() -> create(clients.get(number), number, end)));
            }
            long made = 0;
            for (Future<Long> part : work) {
                made += part.get();
            }
            return made * NANOS / (System.nanoTime() - begin);
        } finally {
            threads.shutdownNow();
            for (FileSystem fs : clients) {
                fs.close();
            }
        }
    }

    private static org.apache.hadoop.fs.Path directory(int client) {
        return new org.apache.hadoop.fs.Path("/ceiling-" + client);
    }

    private static long create(FileSystem fs, int client, long endNanos) throws IOException {
        long made = 0;
        while (System.nanoTime() < endNanos) {
            fs.create(new org.apache.hadoop.fs.Path(directory(client), "file-" + made))
                    .close();
            made++;
        }
        return made;
    }

    private static double cpuSeconds(ProcessHandle process) {
        return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos() / NANOS;
    }

    /** Open in the metadata server that has the most of them. */
    private long sockets() {
        return Math.max(sockets(namespace), sockets(shardsProcess));
    }

    private static long sockets(ProcessHandle process) {
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(process.pid()), "fd"))) {
            return files.filter(CeilingRound::isSocket).count();
        } catch (IOException e) {
            throw new IllegalStateException("the open files of a metadata server cannot be listed", e);
        }
    }

    private static boolean isSocket(Path file) {
        try {
            return Files.readSymbolicLink(file).toString().startsWith("socket:");
        } catch (IOException e) {
            // Closed since it was listed.
            return false;
        }
    }
}
