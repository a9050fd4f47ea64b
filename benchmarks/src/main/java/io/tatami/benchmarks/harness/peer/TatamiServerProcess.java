package io.tatami.benchmarks.harness.peer;

import io.tatami.benchmarks.harness.host.ServerProcess;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;

/**
 * A server of Tatami as a real process on loopback, at a port of its own choice. Java's options are those of this
 * program, as when a server goes on in the background: {@code bin/tatami} alone says what they are.
 *
 * @param uri of the cluster
 */
record TatamiServerProcess(ServerProcess process, String uri) implements AutoCloseable {
    private static final int ANY_PORT = 0;
    private static final String ANY_BLOCK_SIZE = "-Dtatami.block.size.min=1";
    private static final Duration START_LIMIT = Duration.ofSeconds(180);

    /**
     * Starts a server in a directory that is made where it is missing, and waits until it serves.
     *
     * @param javaOptions further ones
     * @param role {@code standalone}, {@code metadata} or {@code block}
     * @param options of {@code tatami start ROLE}
     */
    static TatamiServerProcess start(Path directory, List<String> javaOptions, String role, List<String> options)
            throws IOException, InterruptedException {
        return start(directory, javaOptions, role, ANY_PORT, options);
    }

    private static TatamiServerProcess start(
            Path directory, List<String> javaOptions, String role, int port, List<String> options)
            throws IOException, InterruptedException {
        Files.createDirectories(directory);
        Path data = directory.resolve("data");
        Path ready = data.resolve("run").resolve("ready");
        // One that was killed has left it.
        Files.deleteIfExists(ready);
        List<String> java = new ArrayList<>(ManagementFactory.getRuntimeMXBean().getInputArguments());
        java.add(ANY_BLOCK_SIZE);
        java.addAll(javaOptions);
        List<String> arguments = new ArrayList<>(
                List.of("start", role, "--foreground", "--port", Integer.toString(port), "--data", data.toString()));
        arguments.addAll(options);
        ServerProcess process = ServerProcess.start(
                "io.tatami.server.cli.TatamiServer", java, directory, arguments, directory.resolve("server.out"));
        try {
            process.awaitReady(() -> Files.exists(ready), START_LIMIT);
            Properties properties = new Properties();
            try (var in = Files.newInputStream(ready)) {
                properties.load(in);
            }
            return new TatamiServerProcess(process, properties.getProperty("uri"));
        } catch (IOException | InterruptedException | RuntimeException e) {
            process.close();
            throw e;
        }
    }

    /** {@code kill -9}. */
    void kill() throws InterruptedException {
        process.kill();
    }

    /** Starts a metadata server again that has ended, in its directory and at the port it had. */
    TatamiServerProcess startAgain(Path directory) throws IOException, InterruptedException {
        return start(directory, List.of(), "metadata", URI.create(uri).getPort(), List.of());
    }

    /** A client's. */
    Configuration configuration() {
        Configuration configuration = new Configuration();
        configuration.set("fs.defaultFS", uri);
        configuration.set("fs.AbstractFileSystem.tatami.impl", "io.tatami.hadoop.TatamiFs");
        return configuration;
    }

    ProcessHandle handle() {
        return process.process().toHandle();
    }

    @Override
    public void close() {
        process.close();
    }
}
