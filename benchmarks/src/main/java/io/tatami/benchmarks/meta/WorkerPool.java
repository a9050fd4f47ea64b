package io.tatami.benchmarks.meta;

import io.tatami.benchmarks.clients.ClientProcesses;
import io.tatami.benchmarks.peer.Peer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

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
        processes = new ClientProcesses(
                KIND, clients, peer.configuration(), directory.resolve("conf-" + peer.name() + "-" + clients));
    }

    /** Has every client do {@code operation} for {@code seconds}, or {@code count} times where that takes less. */
    Outcome run(MetaOperation operation, String directory, int seconds, int count, boolean shared) throws IOException {
        begin(operation, directory, seconds, count, shared);
        return end();
    }

    /** As {@link #run}, but does not wait: {@link #end} must follow. */
    void begin(MetaOperation operation, String directory, int seconds, int count, boolean shared) {
        processes.begin(operation + " " + directory + " " + seconds + " " + count + " " + shared);
    }

    Outcome end() throws IOException {
        long operations = 0;
        long wallNanos = 0;
        long cpuNanos = 0;
        for (List<String> words : processes.end()) {
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
