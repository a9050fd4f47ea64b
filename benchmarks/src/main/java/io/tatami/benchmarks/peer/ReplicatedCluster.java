package io.tatami.benchmarks.peer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;

/** Tatami's metadata service as processes on loopback that all hold every group, and one that joins later; no block server. */
public final class ReplicatedCluster implements Peer {
    private final Path directory;
    private final List<String> javaOptions;
    private final List<TatamiServerProcess> processes = new ArrayList<>();

    private ReplicatedCluster(Path directory, List<String> javaOptions) {
        this.directory = directory;
        this.javaOptions = javaOptions;
    }

    /**
     * Starts them one after the other in an empty directory.
     *
     * @param javaOptions of every server, such as settings
     */
    public static ReplicatedCluster start(Path directory, int replicas, int shards, List<String> javaOptions)
            throws IOException, InterruptedException {
        ReplicatedCluster cluster = new ReplicatedCluster(directory, javaOptions);
        try {
            cluster.add(List.of("--replicas", Integer.toString(replicas), "--shards", Integer.toString(shards)));
            for (int server = 1; server < replicas; server++) {
                cluster.join();
            }
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Starts one more, which is a spare one where every group has its replicas. */
    public void join() throws IOException, InterruptedException {
        add(List.of("--join", processes.get(0).uri()));
    }

    private void add(List<String> options) throws IOException, InterruptedException {
        processes.add(TatamiServerProcess.start(
                directory.resolve("server-" + processes.size()), javaOptions, "metadata", options));
    }

    /** All servers, as a client is told of them. */
    public String authority() {
        return processes.stream()
                .map(process -> process.uri().substring("tatami://".length()))
                .collect(Collectors.joining(","));
    }

    @Override
    public String name() {
        return "tatami";
    }

    @Override
    public Configuration configuration() {
        return processes.get(0).configuration();
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
