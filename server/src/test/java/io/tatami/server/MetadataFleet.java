package io.tatami.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.meta.service.host.MetadataServer;
import io.tatami.meta.service.host.NewCluster;
import io.tatami.meta.service.identity.ServerLocation;
import io.tatami.protocol.UserIdentity;
import io.tatami.protocol.wire.ListMetadataServersReply;
import io.tatami.protocol.wire.MetadataServerInfo;
import io.tatami.server.status.MetadataServersText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Metadata servers of one cluster in this JVM that come and go, each group held by three. Used by one thread. */
final class MetadataFleet implements AutoCloseable {
    static final int REPLICAS = 3;

    private static final long NANOS_MAX = TimeUnit.MINUTES.toNanos(4);
    private static final Settings CLIENT =
            Settings.of(Map.of("tatami.client.operation.timeout", "180s", "tatami.client.connect.timeout", "60s"));

    private final Path directory;
    private final Settings settings;
    private final int shards;
    private final NavigableMap<Integer, MetadataServer> servers = new TreeMap<>();
    private final Map<Integer, Integer> ports = new TreeMap<>();

    MetadataFleet(Path directory, Settings settings, int shards) {
        this.directory = directory;
        this.settings = settings;
        this.shards = shards;
    }

    /** The servers 0 to 2, with all groups as members. */
    void form() throws Exception {
        for (int server = 0; server < REPLICAS; server++) {
            start(server);
        }
        awaitServers(all -> all.getSettled());
    }

    int shards() {
        return shards;
    }

    /** Starts a server, as a new one where its directory is, at the address where it was before. */
    MetadataServer start(int number) throws TatamiException {
        ServerLocation location = new ServerLocation(directory(number), "localhost", ports.getOrDefault(number, 0));
        MetadataServer started = ports.isEmpty()
                ? MetadataServer.open(
                        location,
                        NewCluster.onOneServer(shards).withReplicas(REPLICAS),
                        settings,
                        user -> List.of(),
                        Clock.SYSTEM)
                : MetadataServer.join(location, seeds(), List.of(), settings, user -> List.of(), Clock.SYSTEM);
        servers.put(number, started);
        ports.put(number, started.address().getPort());
        return started;
    }

    Path directory(int number) {
        return directory.resolve("meta-" + number);
    }

    private List<InetSocketAddress> seeds() {
        return ports.values().stream()
                .map(port -> InetSocketAddress.createUnresolved("localhost", port))
                .toList();
    }

    /** Ends a server without a word to the others. */
    void kill(int number) throws TatamiException {
        MetadataServer killed = servers.remove(number);
        if (killed != null) {
            killed.close();
        }
    }

    /** Empties a server's directory. */
    void wipe(int number) throws IOException {
        try (Stream<Path> files = Files.walk(directory(number))) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    String address(int number) {
        return "localhost:" + ports.get(number);
    }

    String authority() {
        return ports.keySet().stream().map(this::address).collect(Collectors.joining(","));
    }

    TatamiClient connect() throws TatamiException {
        return TatamiClient.connect(authority(), UserIdentity.of(System.getProperty("user.name")), CLIENT);
    }

    /** The number of the server at an address. */
    int number(String address) {
        return ports.keySet().stream()
                .filter(number -> address(number).equals(address))
                .findFirst()
                .orElseThrow(() -> new AssertionError("nobody is at " + address));
    }

    /** Which server leads the namespace, by what it says itself. */
    int namespaceLeader() throws Exception {
        return awaitServers(all -> all.getServerList().stream().anyMatch(MetadataFleet::leadsNamespace))
                .getServerList()
                .stream()
                .filter(MetadataFleet::leadsNamespace)
                .map(info -> number(MetadataServersText.address(info)))
                .findFirst()
                .orElseThrow();
    }

    private static boolean leadsNamespace(MetadataServerInfo info) {
        return info.getLedGroupList().contains(GroupId.NAMESPACE.value());
    }

    /** The server that leads each group, as they themselves say. */
    static Map<Integer, ByteString> leaders(ListMetadataServersReply all) {
        Map<Integer, ByteString> leaders = new TreeMap<>();
        all.getServerList()
                .forEach(info -> info.getLedGroupList().forEach(group -> {
                    ByteString unused = leaders.put(group, info.getServerId());
                }));
        return leaders;
    }

    /** Waits until no server leads more groups than another and one, and returns who leads what. */
    Map<Integer, ByteString> awaitSteadyLeaders() throws Exception {
        return leaders(awaitServers(all -> {
            List<Integer> counts = all.getServerList().stream()
                    .map(MetadataServerInfo::getLedGroupCount)
                    .toList();
            return leaders(all).size() == 1 + shards && Collections.max(counts) - Collections.min(counts) <= 1;
        }));
    }

    /** Waits until the cluster's list of its metadata servers is as wanted, and returns it. */
    ListMetadataServersReply awaitServers(Predicate<ListMetadataServersReply> wanted) throws Exception {
        long giveUpNanos = System.nanoTime() + NANOS_MAX;
        try (TatamiClient client = connect()) {
            while (true) {
                ListMetadataServersReply all = client.cluster().metadataServers();
                if (wanted.test(all)) {
                    return all;
                }
                assertTrue(System.nanoTime() - giveUpNanos < 0, () -> "still not so: " + all);
                Thread.sleep(50);
            }
        }
    }

    /** As listed at an address; the only one there. */
    MetadataServerInfo info(int number) throws Exception {
        List<MetadataServerInfo> there = awaitServers(all -> true).getServerList().stream()
                .filter(info -> MetadataServersText.address(info).equals(address(number)))
                .toList();
        assertEquals(1, there.size(), there::toString);
        return there.get(0);
    }

    ByteString id(int number) throws Exception {
        return info(number).getServerId();
    }

    /**
     * That each group has three members, and that a server's directory has what the cluster says it holds, and no more.
     */
    void assertPlaces() throws Exception {
        ListMetadataServersReply all = awaitServers(ListMetadataServersReply::getSettled);
        Map<Integer, Integer> holders = new TreeMap<>();
        for (MetadataServerInfo info : all.getServerList()) {
            info.getHeldGroupList().forEach(group -> holders.merge(group, 1, Integer::sum));
        }
        assertEquals(1 + shards, holders.size());
        holders.forEach((group, count) -> assertEquals(REPLICAS, count, () -> "holders of group " + group));
        for (MetadataServerInfo info : all.getServerList()) {
            List<String> expected = info.getHeldGroupList().stream()
                    .map(group -> new GroupId(group).toString())
                    .sorted()
                    .toList();
            awaitStores(number(MetadataServersText.address(info)), expected);
        }
    }

    /** Waits until the stores in a server's directory are these. */
    void awaitStores(int number, List<String> expected) throws Exception {
        long giveUpNanos = System.nanoTime() + NANOS_MAX;
        while (!stores(number).equals(expected)) {
            List<String> there = stores(number);
            assertTrue(
                    System.nanoTime() - giveUpNanos < 0,
                    () -> "server " + number + " has " + there + ", not " + expected);
            Thread.sleep(50);
        }
    }

    /** Waits until a server's directory has so many Raft logs. */
    void awaitLogs(int number, int expected) throws Exception {
        long giveUpNanos = System.nanoTime() + NANOS_MAX;
        while (logs(number) != expected) {
            int there = logs(number);
            assertTrue(
                    System.nanoTime() - giveUpNanos < 0,
                    () -> "server " + number + " has " + there + " Raft logs, not " + expected);
            Thread.sleep(50);
        }
    }

    private int logs(int number) throws Exception {
        try (var files = Files.list(directory(number).resolve("raft"))) {
            return (int) files.filter(Files::isDirectory).count();
        }
    }

    private List<String> stores(int number) throws Exception {
        List<String> stores = new ArrayList<>();
        try (var files = Files.list(directory(number))) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.equals("namespace") || name.startsWith("shard-"))
                    .forEach(stores::add);
        }
        stores.sort(null);
        return stores;
    }

    @Override
    public void close() {
        servers.values().parallelStream().forEach(server -> {
            try {
                server.close();
            } catch (TatamiException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
