package io.tatami.benchmarks.harness.peer;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.benchmarks.harness.host.WrittenFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;

/**
 * A Tatami whose blocks have several copies, on as many block servers on loopback addresses of their own. The first is
 * that of the standalone server. Volumes are files that were written before.
 */
public final class CopiesPeer implements Peer {
    private static final String NETWORK = "127.0.0.";
    private static final int FIRST_ADDRESS = 11;

    private final TatamiPeer first;
    private final int copies;
    private final List<TatamiServerProcess> others = new ArrayList<>();
    private final Undo undo = new Undo();

    private CopiesPeer(TatamiPeer first, int copies) {
        this.first = first;
        this.copies = copies;
    }

    /**
     * Starts it in an empty directory.
     *
     * @param mebibytes of each volume
     * @param copies 2 at the least
     */
    static CopiesPeer startInUse(Path directory, long mebibytes, int copies) throws IOException, InterruptedException {
        CopiesPeer peer = new CopiesPeer(TatamiPeer.startInUse(directory, mebibytes, List.of()), copies);
        try {
            for (int server = 1; server < copies; server++) {
                peer.add(directory.resolve("block-" + server), mebibytes, NETWORK + (FIRST_ADDRESS + server));
            }
            return peer;
        } catch (IOException | InterruptedException | RuntimeException e) {
            peer.close();
            throw e;
        }
    }

    private void add(Path directory, long mebibytes, String host) throws IOException, InterruptedException {
        WrittenFile volume = WrittenFile.make(directory.resolve("volume"), mebibytes);
        undo.add(volume::close);
        List<String> options = List.of(
                "--host",
                host,
                "--metadata",
                Peers.authority(first),
                "--volume",
                volume.path().toString());
        others.add(TatamiServerProcess.start(directory, List.of(), "block", options));
    }

    @Override
    public String name() {
        return first.name();
    }

    @Override
    public Configuration configuration() {
        Configuration configuration = first.configuration();
        configuration.setInt("tatami.client.replication", copies);
        return configuration;
    }

    @Override
    public List<ProcessHandle> servers() {
        return Stream.concat(first.servers().stream(), others.stream().map(TatamiServerProcess::handle))
                .toList();
    }

    @Override
    public void close() throws IOException {
        others.forEach(TatamiServerProcess::close);
        undo.run();
        first.close();
    }
}
