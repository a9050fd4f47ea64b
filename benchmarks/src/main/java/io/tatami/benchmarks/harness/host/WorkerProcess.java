package io.tatami.benchmarks.harness.host;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A client JVM that is told what to do by lines on its standard input and answers each with a line that begins with
 * {@code done}; it says {@code ready} once it is. What else it prints is passed over: Hadoop's libraries log where they
 * like. Owned by one thread.
 */
public final class WorkerProcess implements AutoCloseable {
    private final Path log;
    private final Process process;
    private final BufferedReader replies;
    private final PrintWriter commands;

    /**
     * Starts {@code mainClass} with this program's class path and, before it, a directory in which the peer's
     * configuration is written.
     */
    public WorkerProcess(
            Class<?> mainClass,
            String heap,
            org.apache.hadoop.conf.Configuration site,
            Path directory,
            String... arguments)
            throws IOException {
        Files.createDirectories(directory);
        // Hadoop reads hdfs-default.xml after core-site.xml: of what is in that one alone, HDFS would have its
        // defaults.
        for (String file : List.of("core-site.xml", "hdfs-site.xml")) {
            try (OutputStream out = Files.newOutputStream(directory.resolve(file))) {
                site.writeXml(out);
            }
        }
        log = directory.resolve("worker-" + String.join("-", arguments).replace('/', '_') + ".err");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heap,
                "-XX:+UseParallelGC",
                "-Dhadoop.root.logger=WARN,console"));
        command.addAll(HostNames.javaOptions());
        command.addAll(List.of("-cp", directory + ":" + System.getProperty("java.class.path"), mainClass.getName()));
        command.addAll(List.of(arguments));
        process = new ProcessBuilder(command).redirectError(log.toFile()).start();
        replies = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        commands = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    /** Returns once the worker can be told something. */
    public void awaitReady() throws IOException {
        await("ready");
    }

    /** Does not wait for the answer. */
    public void tell(String line) {
        commands.println(line);
    }

    /** The words after {@code done} of the answer to what was told first. */
    public List<String> awaitDone() throws IOException {
        String[] words = await("done").split(" ", -1);
        return List.of(words).subList(1, words.length);
    }

    private String await(String word) throws IOException {
        for (String line = replies.readLine(); line != null; line = replies.readLine()) {
            if (line.startsWith(word)) {
                return line;
            }
        }
        throw new IOException("a client process ended before it was done:\n" + Files.readString(log));
    }

    /** CPU time it used so far. */
    public double cpuSeconds() {
        return process.toHandle()
                        .info()
                        .totalCpuDuration()
                        .orElse(Duration.ZERO)
                        .toNanos()
                / 1e9;
    }

    @Override
    public void close() {
        commands.close();
        process.destroy();
    }
}
