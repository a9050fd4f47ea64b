package io.tatami.client;

import io.tatami.protocol.wire.Finding;
import java.util.List;

/**
 * What a check found at and below a path.
 *
 * @param findings in the order of directories; empty where all is well
 */
public record FsckReport(
        long files, long directories, long bytes, long blocks, long openFiles, List<Problem> findings) {
    /** @param path of the file concerned, or of the directory where it concerns no one file */
    public record Problem(TatamiPath path, Finding finding) {}
}
