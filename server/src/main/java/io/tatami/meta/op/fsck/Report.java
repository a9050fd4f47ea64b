package io.tatami.meta.op.fsck;

import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.cluster.BlockHealth;
import io.tatami.meta.op.copies.HealthCounts;
import io.tatami.protocol.wire.CheckedBlock.Health;
import io.tatami.protocol.wire.CheckedFile;
import io.tatami.protocol.wire.Finding;
import io.tatami.protocol.wire.FsckReply;
import io.tatami.protocol.wire.FsckRequest;
import java.util.EnumSet;
import java.util.Set;

/** What one page of a check has looked at, counted and found so far, and whether that is enough. */
final class Report {
    /** A page with so many is full. A release before pages is told of no more than these. */
    static final int FINDINGS_MAX = 1_000;

    private final FsckReply.Builder reply = FsckReply.newBuilder();
    private final HealthCounts health = new HealthCounts();
    private final FsckRequest request;
    private final Set<Health> listed = EnumSet.noneOf(Health.class);
    private final long nowMillis;
    private int lookedAt;

    /** @param nowMillis log time */
    Report(FsckRequest request, long nowMillis) {
        this.request = request;
        this.nowMillis = nowMillis;
        request.getListList().stream()
                .filter(health -> health != Health.UNRECOGNIZED)
                .forEach(listed::add);
    }

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

    /** Whether the check was asked for in pages: releases before them ask for all at once. */
    boolean isPaged() {
        return request.getLimit() != 0;
    }

    /** Whether the page ends before the next record. */
    boolean isFull() {
        return isPaged() && (lookedAt >= request.getLimit() || reply.getFindingCount() >= FINDINGS_MAX);
    }

    long nowMillis() {
        return nowMillis;
    }

    /** A record was looked at. */
    void lookedAt() {
        lookedAt++;
    }

    void countFile(long lengthBytes, boolean open) {
        reply.setFiles(reply.getFiles() + 1)
                .setBytes(reply.getBytes() + lengthBytes)
                .setOpenFiles(reply.getOpenFiles() + (open ? 1 : 0));
    }

    void countInline(boolean hasFewerCopies) {
        reply.setInlineFiles(reply.getInlineFiles() + 1)
                .setInlineFilesWithFewerCopies(reply.getInlineFilesWithFewerCopies() + (hasFewerCopies ? 1 : 0));
    }

    void countOpenBlock() {
        countBlock();
        health.addOpen();
    }

    void count(BlockHealth block) {
        countBlock();
        health.add(block);
    }

    private void countBlock() {
        reply.setBlocks(reply.getBlocks() + 1);
    }

    void countChangingDirectory() {
        reply.setChangingDirectories(reply.getChangingDirectories() + 1);
    }

    /** The file's home is another shard, which has to be asked. */
    void addElsewhere(FileId file) {
        reply.addElsewhereFileId(file.value());
    }

    /** Whether blocks of this health are listed. */
    boolean lists(Health of) {
        return request.getListAll() || listed.contains(of);
    }

    /** A file with those of its blocks that are listed. */
    void addFile(CheckedFile.Builder file) {
        if (request.getListAll() || (request.getListOpen() && file.getOpen()) || file.getBlockCount() > 0) {
            reply.addFile(file);
        }
    }

    void find(Target target, String problem) {
        find(target, BlockId.NONE, problem);
    }

    void find(Target target, BlockId block, String problem) {
        if (isPaged() || reply.getFindingCount() < FINDINGS_MAX) {
            reply.addFinding(Finding.newBuilder()
                    .setDirectoryId(target.directory().value())
                    .setName(target.name())
                    .setFileId(target.file().value())
                    .setBlockId(block.value())
                    .setProblem(problem));
        }
    }

    FsckReply.Builder reply() {
        reply.setHealth(health.build());
        return reply.setUnderReplicatedBlocks(reply.getHealth().getUnderReplicated())
                .setMissingCopies(reply.getHealth().getCopiesLacking());
    }
}
