package io.tatami.benchmarks.peer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;

/** A standalone Tatami as a real process on loopback. */
public final class TatamiPeer implements Peer {
    private final Path directory;
    private final TatamiServerProcess server;
    private final Configuration configuration;

    private TatamiPeer(Path directory, TatamiServerProcess server) {
        this.directory = directory;
        this.server = server;
        this.configuration = server.configuration();
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

    /** As {@link #start(Path, String)}, with the blocks on a block device or file that holds nothing yet. */
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
        return new TatamiPeer(directory, TatamiServerProcess.start(directory, List.of(), "standalone", volume));
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
        return List.of(server.handle());
    }

    @Override
    public void close() throws IOException {
        server.close();
        FileUtil.fullyDelete(directory.toFile());
    }
}
