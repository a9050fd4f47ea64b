package io.tatami.benchmarks.small;

import io.tatami.benchmarks.peer.Peer;
import io.tatami.benchmarks.peer.Program;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.fs.FileSystem;

/**
 * What a peer takes of the disk for names, indices and data, in bytes: what its directory has allocated, logs left out. Of
 * Tatami's volume, a file that is allocated in full from the start, what blocks have of it counts instead.
 */
final class SpaceUsed {
    /** A block server tells the cluster what it has every three seconds. */
    private static final long REPORT_MILLIS = 7_000;

    private SpaceUsed() {}

    /** @param directory the peer's */
    static long bytes(Peer peer, Path directory) throws IOException, InterruptedException {
        String output = Program.run(
                "du",
                "--summarize",
                "--block-size=1",
                "--exclude=volume",
                "--exclude=logs",
                "--exclude=*.out",
                "--exclude=clients",
                directory.toString());
        long files = Long.parseLong(output.split("\\s+", -1)[0]);
        return peer.name().equals("tatami") ? files + blockBytes(peer) : files;
    }

    private static long blockBytes(Peer peer) throws IOException, InterruptedException {
        Thread.sleep(REPORT_MILLIS);
        try (FileSystem fs =
                FileSystem.newInstance(FileSystem.getDefaultUri(peer.configuration()), peer.configuration())) {
            return fs.getStatus().getUsed();
        }
    }
}
