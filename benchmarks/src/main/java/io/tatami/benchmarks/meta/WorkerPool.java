package io.tatami.benchmarks.meta;

import io.tatami.benchmarks.peer.Peer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The worker JVMs of one round: at most 32 clients each. Owned by one thread. */
final class WorkerPool implements AutoCloseable {
    private static final int CLIENTS_PER_JVM = 32;

    private final List<Worker> workers = new ArrayList<>();

    private record Worker(Process process, BufferedReader replies, PrintWriter commands) {
        String reply() throws IOException {
            String line = replies.readLine();
            if (line == null) {
                throw new IOException("a worker ended; its output is beside its configuration");
            }
            return line;
        }
    }

    /** What all workers did together. */
    record Outcome(long operations, double seconds, double clientCpuSeconds) {}

    WorkerPool(Peer peer, int clients, Path directory) throws IOException {
        Path conf = Files.createDirectories(directory.resolve("conf-" + peer.name() + "-" + clients));
        try (OutputStream site = Files.newOutputStream(conf.resolve("core-site.xml"))) {
            peer.configuration().writeXml(site);
        }
        for (int first = 0; first < clients; first += CLIENTS_PER_JVM) {
            workers.add(start(conf, first, Math.min(CLIENTS_PER_JVM, clients - first)));
        }
        for (Worker worker : workers) {
            worker.reply();
        }
    }

    private static Worker start(Path conf, int first, int count) throws IOException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:+UseParallelGC",
                        "-cp",
                        conf + ":" + System.getProperty("java.class.path"),
                        MetaWorker.class.getName(),
                        Integer.toString(first),
                        Integer.toString(count))
                .redirectError(conf.resolve("worker-" + first + ".err").toFile())
                .start();
        return new Worker(
                process,
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)),
                new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8));
    }

    /** Has every client do {@code operation} {@code count} times, from {@code first} on. */
    Outcome run(MetaOperation operation, String directory, int first, int count, boolean shared) throws IOException {
        for (Worker worker : workers) {
            worker.commands().println(operation + " " + directory + " " + first + " " + count + " " + shared);
        }
        long operations = 0;
        long wallNanos = 0;
        long cpuNanos = 0;
        for (Worker worker : workers) {
            String[] words = worker.reply().split(" ", -1);
            operations += Long.parseLong(words[1]);
            wallNanos = Math.max(wallNanos, Long.parseLong(words[2]));
            cpuNanos += Long.parseLong(words[3]);
        }
        return new Outcome(operations, wallNanos / 1e9, cpuNanos / 1e9);
    }

    @Override
    public void close() {
        for (Worker worker : workers) {
            worker.commands().close();
            worker.process().destroy();
        }
    }
}
