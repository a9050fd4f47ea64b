package io.tatami.benchmarks.clients;

import io.tatami.benchmarks.peer.Peer;
import io.tatami.benchmarks.peer.WorkerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The clients of one peer, in JVMs of at most {@value #CLIENTS_PER_JVM}. Owned by one thread. */
public final class StreamClients implements AutoCloseable {
    private static final int CLIENTS_PER_JVM = 8;

    private final List<WorkerProcess> workers = new ArrayList<>();

    /**
     * What all clients did together.
     *
     * @param cpuSeconds of their JVMs
     */
    public record Outcome(double seconds, double cpuSeconds) {}

    /**
     * @param callBytes in how many bytes they call write and read
     * @param directory for their configuration and what they log
     */
    public StreamClients(Peer peer, int clients, int callBytes, Path directory) throws IOException {
        for (int first = 0; first < clients; first += CLIENTS_PER_JVM) {
            workers.add(new WorkerProcess(
                    StreamWorker.class,
                    "1g",
                    peer.configuration(),
                    directory,
                    Integer.toString(first),
                    Integer.toString(Math.min(CLIENTS_PER_JVM, clients - first)),
                    Integer.toString(callBytes)));
        }
        for (WorkerProcess worker : workers) {
            worker.awaitReady();
        }
    }

    /** Has {@code streams} of the clients write {@code files} files of {@code fileBytes} each, evenly shared. */
    public Outcome write(String directory, int streams, int files, long fileBytes) throws IOException {
        return run("write " + directory + " " + streams + " " + files + " " + fileBytes);
    }

    /** Has them read what was written so. */
    public Outcome read(String directory, int streams, int files, long fileBytes) throws IOException {
        return run("read " + directory + " " + streams + " " + files + " " + fileBytes);
    }

    /** Has one client list what was written so. */
    public Outcome list(String directory, int files, long fileBytes) throws IOException {
        return run("list " + directory + " 1 " + files + " " + fileBytes);
    }

    /** Has readers and writers work side by side; what each did, in the order of their numbers. */
    public List<StreamTally> mix(StreamMix mix) throws IOException {
        workers.forEach(worker -> worker.tell(mix.toString()));
        List<StreamTally> tallies = new ArrayList<>();
        for (WorkerProcess worker : workers) {
            worker.awaitDone().stream()
                    .filter(word -> !word.isEmpty())
                    .map(StreamTally::parse)
                    .forEach(tallies::add);
        }
        return tallies;
    }

    private Outcome run(String line) throws IOException {
        double cpuBegin = cpuSeconds();
        workers.forEach(worker -> worker.tell(line));
        long nanos = 0;
        for (WorkerProcess worker : workers) {
            nanos = Math.max(nanos, Long.parseLong(worker.awaitDone().get(0)));
        }
        return new Outcome(nanos / 1e9, cpuSeconds() - cpuBegin);
    }

    /** CPU time that their JVMs used so far. */
    public double cpuSeconds() {
        return workers.stream().mapToDouble(WorkerProcess::cpuSeconds).sum();
    }

    @Override
    public void close() {
        workers.forEach(WorkerProcess::close);
    }
}
