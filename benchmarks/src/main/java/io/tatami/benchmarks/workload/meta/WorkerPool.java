package io.tatami.benchmarks.workload.meta;

import io.tatami.benchmarks.harness.client.ClientProcesses;
import io.tatami.benchmarks.harness.peer.Peer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** The worker JVMs of one round: at most 32 clients each. Owned by one thread. */
final class WorkerPool implements AutoCloseable {
    private static final ClientProcesses.Kind KIND = new ClientProcesses.Kind(MetaWorker.class, 32, "512m");

    private final ClientProcesses processes;

    /** What all workers did together. */
    record Outcome(long operations, double seconds, double clientCpuSeconds) {
        Outcome plus(Outcome more) {
            return new Outcome(
                    operations + more.operations, seconds + more.seconds, clientCpuSeconds + more.clientCpuSeconds);
        }
    }

    WorkerPool(Peer peer, int clients, Path directory) throws IOException {
        this(List.of(peer), peer.configuration(), clients, directory);
    }

    /**
     * Of several peers of one kind, which the clients take in turn: each JVM has some of every peer.
     *
     * @param configuration of the clients, whatever else their peers' own says
     */
    WorkerPool(List<Peer> peers, Configuration configuration, int clients, Path directory) throws IOException {
        String[] fileSystems = peers.stream()
                .map(peer -> FileSystem.getDefaultUri(peer.configuration()).toString())
                .toArray(String[]::new);
        processes = new ClientProcesses(
                KIND,
                clients,
                configuration,
                directory.resolve("conf-" + peers.get(0).name() + "-" + clients),
                fileSystems);
    }

    /** Has every client do {@code operation} for {@code seconds}, or {@code count} times where that takes less. */
    Outcome run(MetaOperation operation, String directory, int seconds, int count, boolean shared) throws IOException {
        String line = operation + " " + directory + " " + seconds + " " + count + " " + shared;
        long operations = 0;
        long wallNanos = 0;
        long cpuNanos = 0;
        for (List<String> words : processes.run(line)) {
            operations += Long.parseLong(words.get(0));
            wallNanos = Math.max(wallNanos, Long.parseLong(words.get(1)));
            cpuNanos += Long.parseLong(words.get(2));
        }
        return new Outcome(operations, wallNanos / 1e9, cpuNanos / 1e9);
    }

    @Override
    public void close() {
        processes.close();
    }
}
