package io.tatami.benchmarks.harness.peer;

import io.tatami.benchmarks.harness.host.WrittenFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;
import org.jspecify.annotations.Nullable;

/** A standalone Tatami as a real process on loopback. */
public final class TatamiPeer implements Peer {
    private final Path directory;
    private final TatamiServerProcess server;
    private final Configuration configuration;
    private final @Nullable WrittenFile volume;

    /** @param volume removed when this is closed */
    private TatamiPeer(Path directory, TatamiServerProcess server, @Nullable WrittenFile volume) {
        this.directory = directory;
        this.server = server;
        this.volume = volume;
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
        return new TatamiPeer(directory, server(directory, List.of("--capacity", capacity), options), null);
    }

    /** As {@link #start(Path, String)}, with more options of Java. */
    public static TatamiPeer startWith(Path directory, String capacity, List<String> javaOptions)
            throws IOException, InterruptedException {
        return new TatamiPeer(
                directory,
                TatamiServerProcess.start(directory, javaOptions, "standalone", List.of("--capacity", capacity)),
                null);
    }

    /**
     * As {@link #start(Path, String, List)}, with the blocks in a file beside the directory that has been written once.
     *
     * @param mebibytes the capacity
     */
    public static TatamiPeer startInUse(Path directory, long mebibytes, List<String> options)
            throws IOException, InterruptedException {
        WrittenFile volume = WrittenFile.make(directory.resolveSibling(directory.getFileName() + "-volume"), mebibytes);
        try {
            return new TatamiPeer(directory, serverOn(directory, volume.path(), options), volume);
        } catch (IOException | InterruptedException e) {
            volume.close();
            throw e;
        }
    }

    /** As {@link #start(Path, String)}, with the blocks on a block device that holds nothing yet. */
    public static TatamiPeer startOnDevice(Path directory, Path device) throws IOException, InterruptedException {
        return startOnDevice(directory, device, List.of());
    }

    /** As {@link #startOnDevice(Path, Path)}, with more options of {@code start standalone}. */
    public static TatamiPeer startOnDevice(Path directory, Path device, List<String> options)
            throws IOException, InterruptedException {
        return new TatamiPeer(directory, serverOn(directory, device, options), null);
    }

    private static TatamiServerProcess serverOn(Path directory, Path volume, List<String> options)
            throws IOException, InterruptedException {
        return server(directory, List.of("--volume", volume.toString()), options);
    }

    private static TatamiServerProcess server(Path directory, List<String> volume, List<String> options)
            throws IOException, InterruptedException {
        List<String> arguments = new ArrayList<>(volume);
        arguments.addAll(options);
        return TatamiServerProcess.start(directory, List.of(), "standalone", arguments);
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
        if (volume != null) {
            volume.close();
        }
    }
}
