package io.tatami.meta.op.fsck;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.SessionId;
import io.tatami.cluster.ServersView;
import io.tatami.meta.op.WriteLease;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.FsckCursor;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.protocol.wire.CheckedFile;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.protocol.wire.GroupReplica;

/** Checks one file at its home: its name, its lease, its blocks and their copies. */
final class HomeCheck {
    private final ShardState state;
    private final Report report;
    private final BlockCheck blocks;
    private final int metadataCopies;

    HomeCheck(ShardState state, ClusterMap cluster, ServersView servers, Report report) {
        this.state = state;
        this.report = report;
        this.blocks = new BlockCheck(state, servers, report);
        this.metadataCopies = metadataCopies(cluster, state.id().value());
    }

    /** How many metadata servers have what is in a shard. */
    private static int metadataCopies(ClusterMap cluster, int shard) {
        long members = cluster.getGroupList().stream()
                .filter(group -> group.getGroup() == shard)
                .flatMap(group -> group.getReplicaList().stream())
                .filter(GroupReplica::getMember)
                .count();
        return Math.max(1, (int) members);
    }

    static Report.Target target(FileId file, HomeRecord home) {
        return new Report.Target(new DirectoryId(home.getParentId()), home.getName(), file);
    }

    /** A file by its entry here. False where the page is full before all of it was looked at. */
    boolean checkNamed(Report.Target target, FileEntry file, FsckCursor.Builder at) {
        if (!target.file().home().equals(state.id())) {
            report.addElsewhere(target.file());
            return true;
        }
        HomeRecord home = state.home(target.file());
        if (home == null) {
            report.find(target, "has no record at its home");
            return true;
        }
        if (at.getBlocks() == 0) {
            compare(target, file, home);
        }
        return checkContent(target, home, at);
    }

    private void compare(Report.Target target, FileEntry file, HomeRecord home) {
        if (home.getParentId() != target.directory().value() || !home.getName().equals(target.name())) {
            report.find(target, "is known to its home as " + home.getName() + " in directory " + home.getParentId());
        }
        if (isAtRest(home) && (home.getLength() != file.getLength() || file.getOpen())) {
            report.find(
                    target,
                    "is " + file.getLength() + " bytes by its entry, and closed with " + home.getLength()
                            + " by its home");
        }
    }

    /**
     * A home whose name should be here and is not. What is named in another shard is checked by that one's word, but
     * for releases that do not ask so.
     */
    void checkUnlessNamedHere(FileId file, HomeRecord home) {
        Report.Target target = target(file, home);
        if (home.getEntryGroup() != state.id().value()) {
            if (!report.isPaged()) {
                boolean unused = checkContent(target, home, FsckCursor.newBuilder());
            }
            return;
        }
        EntryRecord entry = state.entry(target.directory(), target.name());
        if (entry == null || !entry.hasFile() || entry.getFile().getFileId() != file.value()) {
            report.find(target, "is a file at its home whose name is gone");
        }
    }

    /**
     * A file by its home.
     *
     * @param at which of its blocks were looked at before, and are now
     * @return false where the page is full before all of it was looked at
     */
    boolean checkContent(Report.Target target, HomeRecord home, FsckCursor.Builder at) {
        if (at.getBlocks() == 0) {
            checkLease(target, home);
            checkInline(target, home);
        }
        CheckedFile.Builder listed = listed(target, home);
        boolean isDone = checkBlocks(target, home, at, listed);
        report.addFile(listed);
        if (isDone) {
            checkSums(target, home, at);
            at.clearBlocks().clearBlockBytes();
        }
        return isDone;
    }

    /** One block of a file. */
    void checkOnly(FileId file, HomeRecord home, BlockId block) {
        Report.Target target = target(file, home);
        CheckedFile.Builder listed = listed(target, home);
        BlockCheck.Under under = new BlockCheck.Under(home.getReplication());
        int index = 0;
        for (BlockRecord record : state.blocks(file)) {
            if (record.getBlockId() == block.value()) {
                blocks.check(target, home, index, record, listed, under);
            }
            index++;
        }
        blocks.find(target, under, home.getBlocks());
        report.addFile(listed);
    }

    private CheckedFile.Builder listed(Report.Target target, HomeRecord home) {
        CheckedFile.Builder listed = CheckedFile.newBuilder();
        if (WriteLease.isOpen(state, target.file(), home)) {
            listed.setOpen(true).setLease(HeldLeases.of(home, report.nowMillis()));
        }
        return listed.setDirectoryId(target.directory().value())
                .setName(target.name())
                .setFileId(target.file().value())
                .setLength(home.getLength())
                .setReplication(home.getReplication())
                .setInlineCopies(home.getContentInline() ? metadataCopies : 0)
                .setBlocks(home.getBlocks());
    }

    private void checkLease(Report.Target target, HomeRecord home) {
        boolean leased = state.lease(new SessionId(home.getWriterSession()), target.file()) != null;
        if (home.getState() == HomeRecord.State.OPEN && !leased) {
            report.find(target, "is open for writing without a lease");
        }
    }

    private boolean checkBlocks(
            Report.Target target, HomeRecord home, FsckCursor.Builder at, CheckedFile.Builder listed) {
        BlockCheck.Under under = new BlockCheck.Under(home.getReplication());
        boolean isDone = true;
        int before = at.getBlocks();
        if (at.getBlocks() == 0 && home.hasGranted()) {
            checkBlock(target, home, 0, home.getGranted(), at, listed, under);
        }
        byte[] all = Keys.blocks(target.file());
        byte[] from = at.getBlocks() == 0 ? all : Keys.block(target.file(), at.getBlocks());
        try (View.Cursor cursor = state.draft().scan(from, Keys.after(all))) {
            while (cursor.next()) {
                if (at.getBlocks() > before && report.isFull()) {
                    isDone = false;
                    break;
                }
                BlockRecord block = ShardState.parse(cursor.value(), BlockRecord.parser());
                checkBlock(target, home, Keys.indexOf(cursor.key()), block, at, listed, under);
            }
        }
        blocks.find(target, under, home.getBlocks());
        return isDone;
    }

    private void checkBlock(
            Report.Target target,
            HomeRecord home,
            int index,
            BlockRecord block,
            FsckCursor.Builder at,
            CheckedFile.Builder listed,
            BlockCheck.Under under) {
        report.lookedAt();
        blocks.check(target, home, index, block, listed, under);
        at.setBlocks(at.getBlocks() + 1).setBlockBytes(at.getBlockBytes() + block.getLength());
    }

    private void checkSums(Report.Target target, HomeRecord home, FsckCursor.Builder at) {
        if (at.getBlocks() != home.getBlocks()) {
            report.find(target, "has " + at.getBlocks() + " blocks, and its home counts " + home.getBlocks());
        }
        boolean closed = isAtRest(home);
        if (closed && !home.getContentInline() && at.getBlockBytes() != home.getLength()) {
            report.find(target, "is " + home.getLength() + " bytes long, and its blocks are " + at.getBlockBytes());
        }
        if (closed && home.getContentInline() && home.getBlocks() > 0) {
            report.find(target, "is stored inline, and has " + home.getBlocks() + " blocks beside it");
        }
    }

    /** Whether it has all of its content, if any. */
    static boolean isAtRest(HomeRecord home) {
        return home.getState() == HomeRecord.State.CLOSED || home.getState() == HomeRecord.State.UNWRITTEN;
    }

    private void checkInline(Report.Target target, HomeRecord home) {
        if (home.getContentInline()) {
            report.countInline(home.getReplication() > metadataCopies);
        }
        ByteString bytes = state.inline(target.file());
        if (!home.getContentInline() && bytes != null) {
            report.find(target, "has " + bytes.size() + " bytes inline that are no part of it");
        } else if (home.getContentInline() && (bytes == null || bytes.size() != home.getLength())) {
            report.find(
                    target,
                    "has " + (bytes == null ? "no" : bytes.size()) + " bytes inline, and a length of "
                            + home.getLength());
        }
    }
}
