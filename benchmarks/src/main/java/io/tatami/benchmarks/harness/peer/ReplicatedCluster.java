package io.tatami.benchmarks.harness.peer;

import io.tatami.base.GroupId;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.ClusterStatus;
import io.tatami.files.LiveFiles;
import io.tatami.protocol.wire.GroupReplica;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;

/**
 * Three metadata servers on loopback, a process each, of which each holds a replica of every group, and those that join
 * later. Used by one thread.
 */
public final class ReplicatedCluster implements Peer {
    private static final int SERVERS = 3;
    private static final long MEMBERS_LIMIT_NANOS = TimeUnit.MINUTES.toNanos(3);
    private static final long POLL_MILLIS = 100;

    private final Path directory;
    private final List<String> javaOptions;
    private final List<TatamiServerProcess> processes = new ArrayList<>();

    private ReplicatedCluster(Path directory, List<String> javaOptions) {
        this.directory = directory;
        this.javaOptions = javaOptions;
    }

    /**
     * Starts them in an empty directory, and returns when each group has all three as members.
     *
     * @param shards a power of two
     * @param javaOptions of every server, such as settings
     */
    public static ReplicatedCluster start(Path directory, int shards, List<String> javaOptions)
            throws IOException, InterruptedException {
        ReplicatedCluster cluster = new ReplicatedCluster(directory, javaOptions);
        try {
            cluster.add(List.of("--shards", Integer.toString(shards), "--replicas", Integer.toString(SERVERS)));
            for (int server = 1; server < SERVERS; server++) {
                cluster.join();
            }
            try (TatamiClient client = Peers.connect(cluster)) {
                cluster.awaitMembers(client);
            }
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Starts one more server, which holds nothing where every group has its replicas. */
    public void join() throws IOException, InterruptedException {
        add(List.of("--join", processes.get(0).uri()));
    }

    /**
     * The bytes of the snapshots that the server has which joined last: those it was sent, or newer ones of its own.
     */
    public long snapshotBytesOfNewest() throws IOException {
        long[] bytes = {0};
        LiveFiles.visit(home(processes.size() - 1), (file, attributes) -> {
            if (file.toString().contains("/sm/snapshot-")) {
                bytes[0] += attributes.size();
            }
        });
        return bytes[0];
    }

    private void add(List<String> options) throws IOException, InterruptedException {
        processes.add(TatamiServerProcess.start(home(processes.size()), javaOptions, "metadata", options));
    }

    private Path home(int server) {
        return directory.resolve("server-" + server);
    }

    /** Of all servers, with commas between. */
    public String authority() {
        return processes.stream()
                .map(process -> URI.create(process.uri()).getAuthority())
                .collect(Collectors.joining(","));
    }

    /** The number of the server that leads a group. */
    public int leader(TatamiClient client, GroupId group) throws IOException, InterruptedException {
        long giveUpNanos = System.nanoTime() + MEMBERS_LIMIT_NANOS;
        while (System.nanoTime() - giveUpNanos < 0) {
            for (ClusterStatus.GroupState state : client.cluster().status().groups()) {
                for (int server = 0; server < SERVERS; server++) {
                    URI uri = URI.create(processes.get(server).uri());
                    if (state.group().equals(group) && state.address().endsWith(":" + uri.getPort())) {
                        return server;
                    }
                }
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        throw new IOException("nobody leads " + group + "; see the servers' logs in " + directory);
    }

    /** Returns when each group has all servers as members. */
    public void awaitMembers(TatamiClient client) throws IOException, InterruptedException {
        long giveUpNanos = System.nanoTime() + MEMBERS_LIMIT_NANOS;
        while (!isFull(client.cluster().status())) {
            if (System.nanoTime() - giveUpNanos > 0) {
                throw new IOException("some group has not all servers as members; see their logs in " + directory);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    private static boolean isFull(ClusterStatus status) {
        return status.groups().stream()
                .allMatch(group -> status.replicas(group.group()).stream()
                                .filter(GroupReplica::getMember)
                                .count()
                        == SERVERS);
    }

    /** {@code kill -9}. */
    public void kill(int server) throws InterruptedException {
        processes.get(server).kill();
    }

    /** Starts a server again that was killed, at the address it had. */
    public void restart(int server) throws IOException, InterruptedException {
        processes.set(server, processes.get(server).startAgain(home(server)));
    }

    @Override
    public String name() {
        return "tatami";
    }

    @Override
    public Configuration configuration() {
        Configuration configuration = processes.get(0).configuration();
        configuration.set("fs.defaultFS", "tatami://" + authority());
        return configuration;
    }

    @Override
    public List<ProcessHandle> servers() {
        return processes.stream().map(TatamiServerProcess::handle).toList();
    }

    @Override
    public void close() throws IOException {
        for (int i = processes.size() - 1; i >= 0; i--) {
            processes.get(i).close();
        }
        FileUtil.fullyDelete(directory.toFile());
    }
}
