package io.tatami.client.model;

import io.tatami.protocol.wire.Finding;
import java.util.List;

/**
 * What a check found at and below a path.
 *
 * @param findings in the order of directories; empty where all is well
 */
public record FsckReport(
        long files, long directories, long bytes, long blocks, long openFiles, Copies copies, List<Problem> findings) {
    /**
     * @param underReplicatedBlocks blocks that are written and have fewer copies that can be read than their files ask
     *     for
     * @param missing how many copies that is
     */
    public record Copies(long underReplicatedBlocks, long missing) {}

    /** @param path of the file concerned, or of the directory where it concerns no one file */
    public record Problem(TatamiPath path, Finding finding) {}
}
