package io.tatami.benchmarks.peer;

import java.io.IOException;
import java.nio.file.Path;

/** The peers by the names that options give them. */
public final class Peers {
    private Peers() {}

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
