package io.tatami.hadoop;

import io.tatami.auth.HadoopGroups;
import io.tatami.conf.Settings;
import io.tatami.server.ProcessCluster;
import io.tatami.server.node.BlockNode;
import io.tatami.server.node.StandaloneNode;
import java.io.IOException;
import java.io.UncheckedIOException;
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
import org.jspecify.annotations.Nullable;

/**
 * The one cluster of a test JVM. Started when it is first asked for; stopped, and its directory deleted, as the JVM
 * ends. Usually a standalone node; the system property {@code tatami.test.servers} asks for others: {@code processes},
 * a process for each group of the metadata service and one for the block server; {@code three}, block servers of three
 * hosts, and three copies of all blocks; {@code three-stopping}, the same, and one of the three is stopped in the midst
 * of each test class ({@link StoppingServer}).
 */
public final class TatamiCluster {
    private static final String HOST = "localhost";
    private static final int SHARDS = 4;
    private static final long VOLUME_BYTES = 1L << 30;

    /**
     * Blocks are tiny here: the volume has room for many, and any size is taken. Directories need not be so large to be
     * divided over more shards.
     */
    private static final Map<String, String> SETTINGS = Map.of(
            "tatami.block.size.min", "1",
            "tatami.block.credit.size", "1m",
            "tatami.directory.spread.entries", "1000",
            "tatami.directory.spread.on.one.server", "true");

    private static final String THREE = "three";
    private static final String THREE_STOPPING = "three-stopping";
    private static final short COPIES = 3;

    private static final class Shared {
        static final TatamiCluster CLUSTER = start();
    }

    private final Path directory;
    private final Deque<AutoCloseable> servers = new ArrayDeque<>();
    private final URI uri;
    /** The block server that is stopped and started again; null where none is. */
    private @Nullable BlockNode stoppable;

    private TatamiCluster(Path directory) throws IOException, InterruptedException {
        this.directory = directory;
        this.uri = URI.create(
                switch (kind()) {
                    case "one" -> startStandalone();
                    case "processes" -> startProcesses();
                    case THREE, THREE_STOPPING -> startThree();
                    default -> throw new IllegalStateException("tatami.test.servers=" + kind());
                });
    }

    private static String kind() {
        return System.getProperty("tatami.test.servers", "one");
    }

    /** Whether a block server is to be stopped in the midst of each test class. */
    static boolean isStopping() {
        return kind().equals(THREE_STOPPING);
    }

    private static boolean hasThreeServers() {
        return kind().equals(THREE) || isStopping();
    }

    private static TatamiCluster start() {
        try {
            TatamiCluster cluster = new TatamiCluster(Files.createTempDirectory("tatami-cluster"));
            Runtime.getRuntime().addShutdownHook(new Thread(cluster::stop, "stop cluster"));
            return cluster;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the cluster started", e);
        }
    }

    private String startStandalone() throws IOException {
        StandaloneNode node = StandaloneNode.open(
                new StandaloneNode.Setup(directory, List.of(), VOLUME_BYTES, HOST, 0, SHARDS),
                new Settings(SETTINGS::get),
                new HadoopGroups(new Configuration()));
        servers.push(node);
        return node.uri();
    }

    private String startThree() throws IOException {
        String first = startStandalone();
        BlockNode second = joined("second", "127.0.0.12", URI.create(first));
        servers.push(second);
        stoppable = joined("third", "127.0.0.13", URI.create(first));
        return first;
    }

    private BlockNode joined(String name, String host, URI metadata) throws IOException {
        return JoinedBlockServer.open(directory.resolve(name), VOLUME_BYTES, host, metadata, SETTINGS);
    }

    /** Ends the third block server; does nothing where it does not run. */
    synchronized void stopServer() {
        BlockNode node = stoppable;
        stoppable = null;
        try {
            if (node != null) {
                node.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts the third block server again; does nothing where it runs. */
    synchronized void startServer() {
        if (stoppable == null) {
            try {
                stoppable = joined("third", "127.0.0.13", uri);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private String startProcesses() throws IOException, InterruptedException {
        List<String> options = SETTINGS.entrySet().stream()
                .map(setting -> "-D" + setting.getKey() + "=" + setting.getValue())
                .toList();
        ProcessCluster processes = ProcessCluster.start(directory, SHARDS, options);
        servers.push(processes);
        return processes.uri();
    }

    /** Ends the servers in the reverse of the order they were started in; what a test left open is told, not thrown. */
    private void stop() {
        stopServer();
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

    /**
     * Adds to {@code configuration} what {@link #configuration} has; blocks are small, so that files of a few MiB have
     * several.
     */
    public void configure(Configuration configuration) {
        configuration.set("fs.defaultFS", uri.toString());
        configuration.set("tatami.client.block.size", "1m");
        if (hasThreeServers()) {
            configuration.setInt("tatami.client.replication", COPIES);
        }
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
