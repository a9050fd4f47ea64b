package io.tatami.hadoop;

import io.tatami.auth.HadoopGroups;
import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.block.service.BlockServerSettings;
import io.tatami.conf.Settings;
import io.tatami.meta.service.host.MetadataServer;
import io.tatami.server.BlockNode;
import io.tatami.server.StandaloneNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The one cluster of a test JVM. Started when it is first asked for; stopped, and its directory deleted, as the JVM ends.
 * Usually a standalone node; with the system property {@code tatami.test.servers=group}, a metadata server of its own, with
 * its own port and connections to the others, for each group.
 */
public final class TatamiCluster {
    private static final String HOST = "localhost";
    private static final int SHARDS = 4;
    private static final long VOLUME_BYTES = 1L << 30;

    /** Blocks are tiny here: the volume has room for many. */
    private static final Settings SETTINGS = new Settings(Map.of("tatami.block.credit.size", "1m")::get);

    private static final class Shared {
        static final TatamiCluster CLUSTER = start();
    }

    private final Path directory;
    private final Deque<AutoCloseable> servers = new ArrayDeque<>();
    private final URI uri;

    private TatamiCluster(Path directory) throws IOException {
        this.directory = directory;
        this.uri = URI.create(
                System.getProperty("tatami.test.servers", "one").equals("group") ? startServers() : startStandalone());
    }

    private static TatamiCluster start() {
        try {
            TatamiCluster cluster = new TatamiCluster(Files.createTempDirectory("tatami-cluster"));
            Runtime.getRuntime().addShutdownHook(new Thread(cluster::stop, "stop cluster"));
            return cluster;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String startStandalone() throws IOException {
        StandaloneNode node = StandaloneNode.open(
                new StandaloneNode.Place(directory, List.of(), VOLUME_BYTES, HOST, 0, SHARDS),
                SETTINGS,
                new HadoopGroups(new Configuration()));
        servers.push(node);
        return node.uri();
    }

    private String startServers() throws IOException {
        HadoopGroups groups = new HadoopGroups(new Configuration());
        MetadataServer first = MetadataServer.open(
                place("namespace"),
                new MetadataServer.NewCluster(SHARDS, List.of(GroupId.NAMESPACE)),
                SETTINGS,
                groups,
                Clock.SYSTEM);
        servers.push(first);
        List<InetSocketAddress> seeds = List.of(first.address());
        for (int shard = 0; shard < SHARDS; shard++) {
            servers.push(MetadataServer.join(
                    place("shard-" + shard), seeds, List.of(shard), SETTINGS, groups, Clock.SYSTEM));
        }
        servers.push(BlockNode.open(
                new BlockNode.Place(directory.resolve("block"), List.of(), VOLUME_BYTES, HOST, 0),
                first.cluster(),
                seeds,
                BlockServerSettings.from(SETTINGS)));
        return "tatami://" + HOST + ":" + first.address().getPort();
    }

    private MetadataServer.Place place(String name) {
        return new MetadataServer.Place(directory.resolve(name), HOST, 0);
    }

    /** Ends the servers in the reverse of the order they were started in; what a test left open is told, not thrown. */
    private void stop() {
        for (AutoCloseable server : servers) {
            try {
                server.close();
            } catch (Exception e) {
                System.err.println("a test server did not stop cleanly: " + e);
            }
        }
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            System.err.println("a test directory was not deleted: " + e);
        }
    }

    public static TatamiCluster shared() {
        return Shared.CLUSTER;
    }

    public URI uri() {
        return uri;
    }

    /** Of a program that uses the cluster as its default file system. */
    public Configuration configuration() {
        Configuration configuration = new Configuration();
        configure(configuration);
        return configuration;
    }

    /** Adds to {@code configuration} what {@link #configuration} has; blocks are small, so that files of a few MiB have several. */
    public void configure(Configuration configuration) {
        configuration.set("fs.defaultFS", uri.toString());
        configuration.set("tatami.client.block.size", "1m");
    }

    /** The caller's, to be closed; another than {@link FileSystem#get} gives. */
    public TatamiFileSystem newFileSystem(Configuration configuration) throws IOException {
        return (TatamiFileSystem) FileSystem.newInstance(uri, configuration);
    }

    public FileContext newFileContext() throws IOException {
        return FileContext.getFileContext(uri, configuration());
    }

    /** The path of the current user's. */
    public static String homeDirectory() {
        try {
            return "/user/" + UserGroupInformation.getCurrentUser().getShortUserName();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
