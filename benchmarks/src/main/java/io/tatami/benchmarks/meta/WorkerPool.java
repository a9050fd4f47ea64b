package io.tatami.benchmarks.meta;

import io.tatami.benchmarks.peer.Peer;
import io.tatami.benchmarks.peer.WorkerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The worker JVMs of one round: at most 32 clients each. Owned by one thread. */
final class WorkerPool implements AutoCloseable {
    private static final int CLIENTS_PER_JVM = 32;

    private final List<WorkerProcess> workers = new ArrayList<>();

    /** What all workers did together. */
    record Outcome(long operations, double seconds, double clientCpuSeconds) {}

    WorkerPool(Peer peer, int clients, Path directory) throws IOException {
        for (int first = 0; first < clients; first += CLIENTS_PER_JVM) {
            workers.add(new WorkerProcess(
                    MetaWorker.class,
                    "512m",
                    peer.configuration(),
                    directory.resolve("conf-" + peer.name() + "-" + clients),
                    Integer.toString(first),
                    Integer.toString(Math.min(CLIENTS_PER_JVM, clients - first))));
        }
        for (WorkerProcess worker : workers) {
            worker.awaitReady();
        }
    }

    /** Has every client do {@code operation} for {@code seconds}, or {@code count} times where that takes less. */
    Outcome run(MetaOperation operation, String directory, int seconds, int count, boolean shared) throws IOException {
        for (WorkerProcess worker : workers) {
            worker.tell(operation + " " + directory + " " + seconds + " " + count + " " + shared);
        }
        long operations = 0;
        long wallNanos = 0;
        long cpuNanos = 0;
        for (WorkerProcess worker : workers) {
            List<String> words = worker.awaitDone();
            operations += Long.parseLong(words.get(0));
            wallNanos = Math.max(wallNanos, Long.parseLong(words.get(1)));
            cpuNanos += Long.parseLong(words.get(2));
        }
        return new Outcome(operations, wallNanos / 1e9, cpuNanos / 1e9);
    }

    @Override
    public void close() {
        workers.forEach(WorkerProcess::close);
    }
}
