package io.tatami.benchmarks.harness.peer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;

/**
 * Tatami's metadata service as several processes on loopback, without a block server: one has the namespace group
 * alone, the others the shards, in turns.
 */
public final class MetadataCluster implements Peer {
    private final Path directory;
    private final List<TatamiServerProcess> processes = new ArrayList<>();

    /** How each process is treated as soon as it runs. */
    @FunctionalInterface
    public interface Starting {
        /** @param number 0 for the namespace group's, then those of the shards */
        void started(int number, ProcessHandle process) throws IOException;
    }

    /**
     * What it is made of.
     *
     * @param servers for shards, at most as many as these
     * @param shards a power of two
     * @param spread over how many shards each directory's entries are divided, however many they become
     */
    public record Shape(int servers, int shards, int spread) {
        public Shape {
            if (servers < 1 || servers > shards) {
                throw new IllegalArgumentException(servers + " servers cannot host " + shards + " shards");
            }
        }

        /** Which of the shards' processes, from 0 on, hosts a shard. */
        public int serverOf(int shard) {
            return shard % servers;
        }

        private String shardsOf(int server) {
            return IntStream.range(0, shards)
                    .filter(shard -> serverOf(shard) == server)
                    .mapToObj(Integer::toString)
                    .collect(Collectors.joining(","));
        }
    }

    /** Of each shard: else a directory that grows in a long run would be divided further. */
    private static final List<String> NEVER_WIDEN =
            List.of("-Dtatami.directory.spread.entries=0", "-Dtatami.directory.spread.rate=0");

    private MetadataCluster(Path directory) {
        this.directory = directory;
    }

    /** The same, and nothing is done with the processes. */
    public static MetadataCluster start(Path directory, Shape shape) throws IOException, InterruptedException {
        return start(directory, shape, (number, process) -> {});
    }

    /** Starts them one after the other in an empty directory. */
    public static MetadataCluster start(Path directory, Shape shape, Starting starting)
            throws IOException, InterruptedException {
        MetadataCluster cluster = new MetadataCluster(directory);
        try {
            List<String> spread = List.of("-Dtatami.directory.spread=" + shape.spread());
            List<String> first = List.of("--shards", Integer.toString(shape.shards()), "--host-shards", "none");
            cluster.add(starting, TatamiServerProcess.start(directory.resolve("namespace"), spread, "metadata", first));
            for (int server = 0; server < shape.servers(); server++) {
                List<String> options = List.of("--join", cluster.uri(), "--host-shards", shape.shardsOf(server));
                cluster.add(
                        starting,
                        TatamiServerProcess.start(
                                directory.resolve("server-" + server), NEVER_WIDEN, "metadata", options));
            }
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private void add(Starting starting, TatamiServerProcess process) throws IOException {
        processes.add(process);
        starting.started(processes.size() - 1, process.handle());
    }

    private String uri() {
        return processes.get(0).uri();
    }

    @Override
    public String name() {
        return "tatami";
    }

    @Override
    public Configuration configuration() {
        return processes.get(0).configuration();
    }

    /** The namespace group's first. */
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
