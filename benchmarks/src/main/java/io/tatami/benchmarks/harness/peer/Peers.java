package io.tatami.benchmarks.harness.peer;

import io.tatami.benchmarks.harness.host.Undo;
import io.tatami.client.TatamiClient;
import io.tatami.conf.Settings;
import io.tatami.protocol.UserIdentity;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.fs.FileUtil;

/** The peers by the names that options give them. */
public final class Peers {
    private Peers() {}

    /** A client of a peer that is Tatami, as the user of this process. */
    public static TatamiClient connect(Peer tatami) throws IOException {
        return connect(tatami, Settings.defaults());
    }

    /** A client of the user of this program, with settings of its own. */
    public static TatamiClient connect(Peer tatami, Settings settings) throws IOException {
        return TatamiClient.connect(authority(tatami), UserIdentity.of(System.getProperty("user.name")), settings);
    }

    /** Where a peer that is Tatami is served. */
    public static String authority(Peer tatami) {
        return URI.create(tatami.configuration().get("fs.defaultFS", "")).getAuthority();
    }

    /** How a peer is started in a directory that is not there. */
    @FunctionalInterface
    public interface Starter<P extends Peer> {
        P start() throws IOException, InterruptedException;
    }

    /** As {@link #start(String, Path, String)}, for a turn in a round: what an earlier run left there goes first. */
    public static Peer start(String name, Path directory, String capacity, Undo undo)
            throws IOException, InterruptedException {
        return inTurn(directory, undo, () -> start(name, directory, capacity));
    }

    /** The same, with the places of Tatami's volume written once before, as those of a volume in use are. */
    public static Peer startInUse(String name, Path directory, long mebibytes, Undo undo)
            throws IOException, InterruptedException {
        return inTurn(
                directory,
                undo,
                () -> name.equals("tatami")
                        ? TatamiPeer.startInUse(directory, mebibytes, List.of())
                        : start(name, directory, ""));
    }

    /**
     * The same with several copies of each block, on as many block servers or DataNodes.
     *
     * @param mebibytes of each volume of Tatami's
     * @param copies 1 at the least
     */
    public static Peer startInUse(String name, Path directory, long mebibytes, int copies, Undo undo)
            throws IOException, InterruptedException {
        if (copies == 1) {
            return startInUse(name, directory, mebibytes, undo);
        }
        return inTurn(
                directory,
                undo,
                () -> name.equals("tatami")
                        ? CopiesPeer.startInUse(directory, mebibytes, copies)
                        : HdfsPeer.start(directory, copies));
    }

    /** The same for a peer that is started otherwise. */
    public static <P extends Peer> P inTurn(Path directory, Undo undo, Starter<P> starter)
            throws IOException, InterruptedException {
        FileUtil.fullyDelete(directory.toFile());
        undo.add(() -> FileUtil.fullyDelete(directory.toFile()));
        P peer = starter.start();
        undo.add(peer::close);
        return peer;
    }

    /**
     * Starts {@code tatami} or {@code hdfs} in an empty directory.
     *
     * @param capacity of Tatami's volume, such as {@code 20g}; HDFS takes what it needs of the disk
     */
    public static Peer start(String name, Path directory, String capacity) throws IOException, InterruptedException {
        return switch (name) {
            case "tatami" -> TatamiPeer.start(directory, capacity);
            case "hdfs" -> HdfsPeer.start(directory);
            default -> throw new IOException("there is no peer " + name + "; it is tatami or hdfs");
        };
    }
}
