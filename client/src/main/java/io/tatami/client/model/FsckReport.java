package io.tatami.client.model;

import io.tatami.protocol.wire.BlockHealthCounts;
import io.tatami.protocol.wire.CheckedFile;
import io.tatami.protocol.wire.Finding;
import io.tatami.protocol.wire.FsckReply;
import java.util.ArrayList;
import java.util.List;

/**
 * What a check found at and below a path.
 *
 * @param counts those of all shards; no lists
 * @param problems how many were found
 * @param findings in the order in which they were found, where they were collected; empty where all is well
 */
public record FsckReport(long directories, FsckReply counts, long problems, List<Problem> findings) {
    public long files() {
        return counts.getFiles();
    }

    public long bytes() {
        return counts.getBytes();
    }

    public long blocks() {
        return counts.getBlocks();
    }

    public long openFiles() {
        return counts.getOpenFiles();
    }

    /** Blocks by their health. */
    public BlockHealthCounts health() {
        return counts.getHealth();
    }

    public Copies copies() {
        return new Copies(health().getUnderReplicated(), health().getCopiesLacking());
    }

    /**
     * @param underReplicatedBlocks blocks that are written and have fewer copies that can be read than their files ask
     *     for, and than there are hosts
     * @param missing how many copies that is
     */
    public record Copies(long underReplicatedBlocks, long missing) {}

    /** @param path of the file concerned, or of the directory where it concerns no one file */
    public record Problem(TatamiPath path, Finding finding) {}

    /**
     * Hears of a check while it runs, on the thread that runs it. Nothing is kept, so checks of any size may be heard
     * of.
     */
    public interface Listener {
        void found(Problem problem);

        /** A file that was asked to be listed, or a part of one that has many blocks. */
        void listed(TatamiPath path, CheckedFile file);

        /** Some more was checked. */
        void checked(FsckReport soFar);
    }

    /** Keeps the problems, for checks that find few. */
    public static final class Collected implements Listener {
        private final List<Problem> problems = new ArrayList<>();

        @Override
        public void found(Problem problem) {
            problems.add(problem);
        }

        @Override
        public void listed(TatamiPath path, CheckedFile file) {}

        @Override
        public void checked(FsckReport soFar) {}

        public List<Problem> problems() {
            return List.copyOf(problems);
        }
    }
}
