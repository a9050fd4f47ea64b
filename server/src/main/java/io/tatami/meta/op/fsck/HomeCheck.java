package io.tatami.meta.op.fsck;

import com.google.protobuf.ByteString;
import io.tatami.base.BlockId;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.base.SessionId;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.FileEntry;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.ReplicaRecord;
import io.tatami.protocol.wire.BlockServerInfo;
import io.tatami.protocol.wire.ClusterMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Checks one file at its home: its name, its lease, its blocks and where their copies are. */
final class HomeCheck {
    private final ShardState state;
    private final Report report;
    private final Set<ServerId> live = new HashSet<>();

    HomeCheck(ShardState state, ClusterMap cluster, Report report) {
        this.state = state;
        this.report = report;
        for (BlockServerInfo server : cluster.getBlockServerList()) {
            if (server.getState() != BlockServerInfo.State.DEAD && server.getState() != BlockServerInfo.State.GONE) {
                live.add(new ServerId(server.getServerId()));
            }
        }
    }

    /** A file by its entry here; its home is looked at where that is here, too. */
    void checkNamed(Report.Target target, FileEntry file) {
        if (!target.file().home().equals(state.id())) {
            return;
        }
        HomeRecord home = state.home(target.file());
        if (home == null) {
            report.find(target, "has no record at its home");
            return;
        }
        if (home.getParentId() != target.directory().value() || !home.getName().equals(target.name())) {
            report.find(target, "is known to its home as " + home.getName() + " in directory " + home.getParentId());
        }
        boolean closed = isAtRest(home);
        if (closed && (home.getLength() != file.getLength() || file.getOpen())) {
            report.find(
                    target,
                    "is " + file.getLength() + " bytes by its entry, and closed with " + home.getLength()
                            + " by its home");
        }
        checkContent(target, home);
    }

    /** A home whose name is in another shard, or should be here and is not. */
    void checkUnlessNamedHere(FileId file, HomeRecord home) {
        Report.Target target = new Report.Target(new DirectoryId(home.getParentId()), home.getName(), file);
        if (home.getEntryGroup() != state.id().value()) {
            checkContent(target, home);
            return;
        }
        EntryRecord entry = state.entry(target.directory(), target.name());
        if (entry == null || !entry.hasFile() || entry.getFile().getFileId() != file.value()) {
            report.find(target, "is a file at its home whose name is gone");
        }
    }

    private void checkContent(Report.Target target, HomeRecord home) {
        FileId file = target.file();
        boolean leased = state.lease(new SessionId(home.getWriterSession()), file) != null;
        if (home.getState() == HomeRecord.State.OPEN && !leased) {
            report.find(target, "is open for writing without a lease");
        }
        List<BlockRecord> blocks = state.blocks(file);
        if (blocks.size() != home.getBlocks()) {
            report.find(target, "has " + blocks.size() + " blocks, and its home counts " + home.getBlocks());
        }
        long lengthBytes = 0;
        for (BlockRecord block : blocks) {
            report.countBlock();
            lengthBytes += block.getLength();
            checkBlock(target, home, block);
        }
        checkCopies(target, home, blocks);
        boolean closed = isAtRest(home);
        if (closed && !home.getContentInline() && lengthBytes != home.getLength()) {
            report.find(target, "is " + home.getLength() + " bytes long, and its blocks are " + lengthBytes);
        }
        if (closed && home.getContentInline() && home.getBlocks() > 0) {
            report.find(target, "is stored inline, and has " + home.getBlocks() + " blocks beside it");
        }
        checkInline(target, home);
    }

    /** As on HDFS, a block that is being written does not count. A block without any copy is found by itself. */
    private void checkCopies(Report.Target target, HomeRecord home, List<BlockRecord> blocks) {
        int under = 0;
        int fewest = home.getReplication();
        for (BlockRecord block : blocks) {
            int copies = copies(block);
            if (!block.getOpen() && copies < home.getReplication()) {
                report.countUnderReplicated(home.getReplication() - copies);
                under += copies > 0 ? 1 : 0;
                fewest = copies > 0 ? Math.min(fewest, copies) : fewest;
            }
        }
        if (under > 0) {
            report.find(
                    target,
                    "is under-replicated: " + under + " of " + blocks.size() + " blocks have fewer than "
                            + home.getReplication() + " copies, as few as " + fewest + "; " + live.size()
                            + " block servers are alive");
        }
    }

    /** How many copies can be read now. */
    private int copies(BlockRecord block) {
        int copies = 0;
        for (ServerId server : ServerId.listOf(block.getServerIdList())) {
            ReplicaRecord replica = state.replica(server, new BlockId(block.getBlockId()));
            if (replica != null && replica.getProblem() == ReplicaRecord.Problem.NONE && live.contains(server)) {
                copies++;
            }
        }
        return copies;
    }

    /** Whether it has all of its content, if any. */
    private static boolean isAtRest(HomeRecord home) {
        return home.getState() == HomeRecord.State.CLOSED || home.getState() == HomeRecord.State.UNWRITTEN;
    }

    private void checkInline(Report.Target target, HomeRecord home) {
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

    private void checkBlock(Report.Target target, HomeRecord home, BlockRecord block) {
        BlockId id = new BlockId(block.getBlockId());
        if (!target.file().equals(state.fileOf(id))) {
            report.find(target, id, "the block is not recorded as this file's");
        }
        if (block.getOpen() && isAtRest(home)) {
            report.find(target, id, "the block is open and its file is closed");
        }
        boolean readable = block.getOpen();
        for (ServerId server : ServerId.listOf(block.getServerIdList())) {
            ReplicaRecord replica = state.replica(server, id);
            if (replica == null) {
                report.find(target, id, "server " + server.value() + " is not recorded as a holder of the block");
            } else if (replica.getProblem() != ReplicaRecord.Problem.NONE) {
                report.find(target, id, "the copy on server " + server.value() + described(replica.getProblem()));
            } else {
                readable |= live.contains(server);
            }
        }
        if (!readable) {
            report.find(target, id, "no copy of the block can be read now");
        }
    }

    private static String described(ReplicaRecord.Problem problem) {
        return switch (problem) {
            case NONE -> " is sound";
            case MISSING -> " is missing";
            case DAMAGED, UNRECOGNIZED -> " is damaged";
            case UNAVAILABLE ->
                " is unavailable: a volume of the server has stopped or was not opened, see 'tatami status'";
        };
    }
}
