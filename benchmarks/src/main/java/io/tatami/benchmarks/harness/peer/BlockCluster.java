package io.tatami.benchmarks.harness.peer;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.host.WrittenFile;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileUtil;

/**
 * A metadata server and block servers on loopback addresses of their own, a process each, and block servers that join
 * later. Used by one thread.
 */
public final class BlockCluster implements Peer {
    private static final String NETWORK = "127.0.0.";
    private static final int FIRST_ADDRESS = 11;

    private final Path directory;
    private final List<String> javaOptions;
    private final TatamiServerProcess metadata;
    private final List<TatamiServerProcess> blocks = new ArrayList<>();
    private final Undo undo = new Undo();

    private BlockCluster(Path directory, List<String> javaOptions, TatamiServerProcess metadata) {
        this.directory = directory;
        this.javaOptions = javaOptions;
        this.metadata = metadata;
    }

    /**
     * Starts it in an empty directory. The volumes of the block servers are files that were written before.
     *
     * @param shards a power of two
     * @param mebibytes of each volume
     * @param javaOptions of every server, such as settings
     */
    public static BlockCluster start(
            Path directory, int shards, int blockServers, long mebibytes, List<String> javaOptions)
            throws IOException, InterruptedException {
        TatamiServerProcess metadata = TatamiServerProcess.start(
                directory.resolve("metadata"), javaOptions, "metadata", List.of("--shards", Integer.toString(shards)));
        BlockCluster cluster = new BlockCluster(directory, javaOptions, metadata);
        try {
            for (int server = 0; server < blockServers; server++) {
                WrittenFile volume = WrittenFile.make(directory.resolve("volume-" + server), mebibytes);
                cluster.undo.add(volume::close);
                String unused = cluster.join(volume.path());
            }
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /**
     * Starts one more block server.
     *
     * @param volume a file or a device; the caller's
     * @return its address, which no other server has
     */
    public String join(Path volume) throws IOException, InterruptedException {
        int server = blocks.size();
        String host = NETWORK + (FIRST_ADDRESS + server);
        List<String> options = List.of(
                "--host", host, "--metadata", URI.create(metadata.uri()).getAuthority(), "--volume", volume.toString());
        blocks.add(TatamiServerProcess.start(directory.resolve("block-" + server), javaOptions, "block", options));
        return host;
    }

    @Override
    public String name() {
        return "tatami";
    }

    @Override
    public Configuration configuration() {
        return metadata.configuration();
    }

    @Override
    public List<ProcessHandle> servers() {
        return Stream.concat(Stream.of(metadata), blocks.stream())
                .map(TatamiServerProcess::handle)
                .toList();
    }

    @Override
    public void close() throws IOException {
        blocks.forEach(TatamiServerProcess::close);
        metadata.close();
        undo.run();
        FileUtil.fullyDelete(directory.toFile());
    }
}
