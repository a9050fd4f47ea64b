package io.tatami.benchmarks.harness.client;

import io.tatami.base.Threads;
import java.io.Closeable;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/**
 * The clients of one JVM, each with a file system object, or another way in, and a thread of its own, and what they are
 * told to do by lines on standard input. Owned by one thread.
 */
public final class ClientGroup<C extends Closeable> implements AutoCloseable {
    private final int first;
    private final List<C> clients = new ArrayList<>();
    private final ExecutorService threads;

    /** What one client does; {@code client} is its number among the clients of all JVMs. */
    @FunctionalInterface
    public interface Work<C, T> {
        T run(C way, int client) throws Exception;
    }

    /** Makes a client's way into the cluster. */
    @FunctionalInterface
    public interface Source<C> {
        C open(int client) throws IOException;
    }

    /** @param first the number of the first client */
    public ClientGroup(int first, int count, Source<C> source) throws IOException {
        this.first = first;
        // Daemons: what fails ends this process, and with it the wait of whoever told it to work.
        this.threads = Executors.newFixedThreadPool(count, Threads.daemons("client"));
        for (int i = 0; i < count; i++) {
            clients.add(source.open(first + i));
        }
    }

    /** Clients through Hadoop's API; the configuration is on the class path. */
    public static ClientGroup<FileSystem> ofFileSystems(int first, int count) throws IOException {
        return ofFileSystems(first, count, List.of(FileSystem.getDefaultUri(new Configuration())));
    }

    /** The same, of several file systems, which the clients take in turn. */
    public static ClientGroup<FileSystem> ofFileSystems(int first, int count, List<URI> fileSystems)
            throws IOException {
        Configuration configuration = new Configuration();
        return new ClientGroup<>(
                first,
                count,
                client -> FileSystem.newInstance(fileSystems.get(client % fileSystems.size()), configuration));
    }

    /** Has all clients whose numbers are below {@code end} work at once; what each returned, once all are done. */
    public <T> List<T> run(int end, Work<C, T> work) throws InterruptedException, ExecutionException {
        List<Future<T>> running = new ArrayList<>();
        for (int i = 0; i < clients.size() && first + i < end; i++) {
            C way = clients.get(i);
            int client = first + i;
            running.add(threads.submit(() -> work.run(way, client)));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> result : running) {
            results.add(result.get());
        }
        return results;
    }

    /** Says that it is ready, and answers each line until there are no more; a failure ends that. */
    public void serve(CommandLines.Command command) throws Exception {
        CommandLines.serve(command);
    }

    @Override
    public void close() throws IOException {
        threads.shutdown();
        for (C client : clients) {
            client.close();
        }
    }
}
