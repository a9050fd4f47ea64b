package io.tatami.benchmarks.harness.client;

import io.tatami.benchmarks.harness.host.WorkerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;

/**
 * Clients in several JVMs, each of which has a {@link ClientGroup}; all are told the same at once. Owned by one thread.
 */
public final class ClientProcesses implements AutoCloseable {
    private final List<WorkerProcess> workers = new ArrayList<>();

    /**
     * How the JVMs are started.
     *
     * @param mainClass its arguments are the number of the first client, how many, and what is given to all
     * @param clientsMax of one JVM
     * @param heap as Java takes it
     */
    public record Kind(Class<?> mainClass, int clientsMax, String heap) {}

    /**
     * Starts as many JVMs as are needed and waits until all are ready.
     *
     * @param directory for their configuration and what they log
     * @param more arguments that all are given
     */
    public ClientProcesses(Kind kind, int clients, Configuration site, Path directory, String... more)
            throws IOException {
        try {
            for (int first = 0; first < clients; first += kind.clientsMax()) {
                List<String> arguments = new ArrayList<>(List.of(
                        Integer.toString(first), Integer.toString(Math.min(kind.clientsMax(), clients - first))));
                arguments.addAll(List.of(more));
                workers.add(new WorkerProcess(
                        kind.mainClass(), kind.heap(), site, directory, arguments.toArray(String[]::new)));
            }
            for (WorkerProcess worker : workers) {
                worker.awaitReady();
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** Tells all of them; returns the words of each one's answer once all have answered. */
    public List<List<String>> run(String line) throws IOException {
        workers.forEach(worker -> worker.tell(line));
        List<List<String>> answers = new ArrayList<>();
        for (WorkerProcess worker : workers) {
            answers.add(worker.awaitDone());
        }
        return answers;
    }

    /** CPU time that the JVMs used so far. */
    public double cpuSeconds() {
        return workers.stream().mapToDouble(WorkerProcess::cpuSeconds).sum();
    }

    @Override
    public void close() {
        workers.forEach(WorkerProcess::close);
    }
}
