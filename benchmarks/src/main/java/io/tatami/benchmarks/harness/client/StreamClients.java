package io.tatami.benchmarks.harness.client;

import io.tatami.benchmarks.harness.peer.Peer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The clients of one peer, in JVMs of at most {@value #CLIENTS_PER_JVM}. Owned by one thread. */
public final class StreamClients implements AutoCloseable {
    private static final ClientProcesses.Kind KIND = new ClientProcesses.Kind(StreamWorker.class, 8, "1g");

    private final ClientProcesses processes;

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
        processes = new ClientProcesses(KIND, clients, peer.configuration(), directory, Integer.toString(callBytes));
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
        return processes.run(mix.toString()).stream()
                .flatMap(List::stream)
                .filter(word -> !word.isEmpty())
                .map(StreamTally::parse)
                .toList();
    }

    private Outcome run(String line) throws IOException {
        double cpuBegin = cpuSeconds();
        long nanos = 0;
        for (List<String> words : processes.run(line)) {
            nanos = Math.max(nanos, Long.parseLong(words.get(0)));
        }
        return new Outcome(nanos / 1e9, cpuSeconds() - cpuBegin);
    }

    /** CPU time that their JVMs used so far. */
    public double cpuSeconds() {
        return processes.cpuSeconds();
    }

    @Override
    public void close() {
        processes.close();
    }
}
