package io.tatami.meta.op.fsck;

import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.protocol.wire.Finding;
import io.tatami.protocol.wire.FsckReply;

/** What a check has counted and found so far. */
final class Report {
    /** More than this nobody reads, and a reply must fit into a frame. */
    static final int FINDINGS_MAX = 1_000;

    private final FsckReply.Builder reply = FsckReply.newBuilder();

    /** What a finding is about; names and ids that do not apply are empty and NONE. */
    record Place(DirectoryId directory, String name, FileId file) {
        static Place of(DirectoryId directory) {
            return new Place(directory, "", FileId.NONE);
        }

        /** A file of which nobody knows the name. */
        static Place of(FileId file) {
            return new Place(DirectoryId.NONE, "", file);
        }
    }

    void countFile(long lengthBytes, boolean open) {
        reply.setFiles(reply.getFiles() + 1)
                .setBytes(reply.getBytes() + lengthBytes)
                .setOpenFiles(reply.getOpenFiles() + (open ? 1 : 0));
    }

    void countBlock() {
        reply.setBlocks(reply.getBlocks() + 1);
    }

    /** A block that is written and has {@code missing} copies fewer than its file asks for. */
    void countUnderReplicated(int missing) {
        reply.setUnderReplicatedBlocks(reply.getUnderReplicatedBlocks() + 1)
                .setMissingCopies(reply.getMissingCopies() + missing);
    }

    void find(Place place, String problem) {
        find(place, BlockId.NONE, problem);
    }

    void find(Place place, BlockId block, String problem) {
        if (reply.getFindingCount() < FINDINGS_MAX) {
            reply.addFinding(Finding.newBuilder()
                    .setDirectoryId(place.directory().value())
                    .setName(place.name())
                    .setFileId(place.file().value())
                    .setBlockId(block.value())
                    .setProblem(problem));
        }
    }

    FsckReply reply() {
        return reply.build();
    }
}
