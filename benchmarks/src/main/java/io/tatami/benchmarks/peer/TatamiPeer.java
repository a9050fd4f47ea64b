package io.tatami.benchmarks.peer;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;

/**
 * A standalone Tatami as a real process on loopback. Java's options are those of this program, as when a server goes on in
 * the background: {@code bin/tatami} alone says what they are.
 */
public final class TatamiPeer implements Peer {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private final Path directory;
    private final ServerProcess process;
    private final Configuration configuration;

    private TatamiPeer(Path directory, ServerProcess process, Configuration configuration) {
        this.directory = directory;
        this.process = process;
        this.configuration = configuration;
    }

    /**
     * Formats and starts Tatami in an empty directory.
     *
     * @param capacity of its volume, such as {@code 20g}
     */
    public static TatamiPeer start(Path directory, String capacity) throws IOException, InterruptedException {
        return start(directory, capacity, List.of());
    }

    /** As {@link #start(Path, String)}, with more options of {@code start standalone}. */
    public static TatamiPeer start(Path directory, String capacity, List<String> options)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("--capacity", capacity));
        arguments.addAll(options);
        return start(directory, arguments);
    }

    /** As {@link #start(Path, String)}, with the blocks on a block device that holds nothing yet. */
    public static TatamiPeer startOnDevice(Path directory, Path device) throws IOException, InterruptedException {
        return startOnDevice(directory, device, List.of());
    }

    /** As {@link #startOnDevice(Path, Path)}, with more options of {@code start standalone}. */
    public static TatamiPeer startOnDevice(Path directory, Path device, List<String> options)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("--volume", device.toString()));
        arguments.addAll(options);
        return start(directory, arguments);
    }

    private static TatamiPeer start(Path directory, List<String> volume) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        Path data = directory.resolve("data");
        List<String> arguments = new ArrayList<>(
                List.of("start", "standalone", "--foreground", "--port", "0", "--data", data.toString()));
        arguments.addAll(volume);
        ServerProcess process = ServerProcess.start(
                "io.tatami.server.TatamiServer",
                ManagementFactory.getRuntimeMXBean().getInputArguments(),
                directory,
                arguments,
                directory.resolve("server.out"));
        try {
            Path ready = data.resolve("run").resolve("ready");
            process.awaitReady(() -> Files.exists(ready), START_LIMIT);
            Properties properties = new Properties();
            try (var in = Files.newInputStream(ready)) {
                properties.load(in);
            }
            return new TatamiPeer(directory, process, configure(properties.getProperty("uri")));
        } catch (IOException | InterruptedException | RuntimeException e) {
            process.close();
            throw e;
        }
    }

    private static Configuration configure(String uri) {
        Configuration configuration = new Configuration();
        configuration.set("fs.defaultFS", uri);
        configuration.set("fs.tatami.impl", "io.tatami.hadoop.TatamiFileSystem");
        configuration.set("fs.AbstractFileSystem.tatami.impl", "io.tatami.hadoop.TatamiFs");
        return configuration;
    }

    @Override
    public String name() {
        return "tatami";
    }

    @Override
    public Configuration configuration() {
        return configuration;
    }

    @Override
    public List<ProcessHandle> servers() {
        return List.of(process.process().toHandle());
    }

    @Override
    public void close() throws IOException {
        process.close();
        FileUtil.fullyDelete(directory.toFile());
    }
}
