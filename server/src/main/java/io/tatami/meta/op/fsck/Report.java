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
    record Target(DirectoryId directory, String name, FileId file) {
        static Target of(DirectoryId directory) {
            return new Target(directory, "", FileId.NONE);
        }

        /** A file of which nobody knows the name. */
        static Target of(FileId file) {
            return new Target(DirectoryId.NONE, "", file);
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

    void find(Target target, String problem) {
        find(target, BlockId.NONE, problem);
    }

    void find(Target target, BlockId block, String problem) {
        if (reply.getFindingCount() < FINDINGS_MAX) {
            reply.addFinding(Finding.newBuilder()
                    .setDirectoryId(target.directory().value())
                    .setName(target.name())
                    .setFileId(target.file().value())
                    .setBlockId(block.value())
                    .setProblem(problem));
        }
    }

    FsckReply reply() {
        return reply.build();
    }
}
