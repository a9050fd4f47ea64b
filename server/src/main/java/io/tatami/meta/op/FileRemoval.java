package io.tatami.meta.op;

import io.tatami.base.BlockId;
import io.tatami.base.Check;
import io.tatami.base.DirectoryId;
import io.tatami.base.FileId;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.BlockCopies.Copy;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.ReclaimRecord;
import io.tatami.protocol.wire.OutboxDelivery;
import java.util.List;

/** The end of a file: its name goes, and with it all that its home holds of it. Blocks are queued to be reclaimed. */
public final class FileRemoval {
    private FileRemoval() {}

    /**
     * Removes a name and what it stands for, a file or a symlink; the share of the directory follows. An open file's
     * lease ends with it: its writer finds the file gone. Where the file's home is another shard, that shard learns it
     * from the outbox.
     *
     * @param entry what stands under the name, no marker; nothing may be leaving there
     */
    public static void removeEntry(
            ShardState state, DirectoryId directory, String name, EntryRecord entry, long nowMillis) {
        Check.check(entry.getLeavingTransaction() == 0, "%s/%s is leaving and cannot be removed", directory, name);
        Check.check(!entry.hasMarker(), "%s/%s is the name of a directory", directory, name);
        state.entries().changeName(directory, name, null, nowMillis);
        releaseContent(state, entry);
    }

    /** What a name stood for is gone, while the name itself may stay for something else; see {@link #removeEntry}. */
    public static void releaseContent(ShardState state, EntryRecord entry) {
        if (!entry.hasFile()) {
            return;
        }
        FileId file = new FileId(entry.getFile().getFileId());
        if (file.home().equals(state.id())) {
            unlinkHome(state, file);
        } else {
            state.addOutbox(
                    file.home(),
                    OutboxDelivery.newBuilder().setUnlinkFileId(file.value()).build());
        }
    }

    /**
     * At the file's home: removes its record, lease, blocks and replicas, and queues the blocks to be reclaimed.
     * Without effect where the file is gone already.
     */
    public static void unlinkHome(ShardState state, FileId file) {
        HomeRecord home = state.home(file);
        if (home == null) {
            return;
        }
        WriteLease.remove(state, file, home);
        if (home.hasGranted()) {
            reclaimGranted(state, home.getGranted());
        }
        state.recordedBlocks(file, home).forEach((index, block) -> {
            reclaim(state, block);
            state.removeBlock(file, index, new BlockId(block.getBlockId()));
        });
        if (home.getContentInline()) {
            state.removeInline(file);
        }
        state.removeHome(file);
    }

    /**
     * Queues the copies of a block to be reclaimed and forgets that servers hold them; its record is the caller's to
     * remove.
     */
    public static void reclaim(ShardState state, BlockRecord block) {
        reclaim(state, block, BlockCopies.all(block));
    }

    /** {@link #reclaim(ShardState, BlockRecord)} for some of a block's copies. */
    public static void reclaim(ShardState state, BlockRecord block, List<Copy> copies) {
        BlockId id = new BlockId(block.getBlockId());
        copies.forEach(copy -> state.removeReplica(copy.server(), id));
        queue(state, block, copies);
    }

    /**
     * As {@link #reclaim} for a block that no server is recorded to hold, because its file's home has it as granted.
     */
    public static void reclaimGranted(ShardState state, BlockRecord block) {
        queue(state, block, BlockCopies.all(block));
    }

    /** Has servers delete these copies of a block, each by its number; what is recorded of the block stays as it is. */
    public static void queue(ShardState state, BlockRecord block, List<Copy> copies) {
        ReclaimRecord.Builder reclaim = ReclaimRecord.newBuilder()
                .setBlockId(block.getBlockId())
                .setGeneration(Math.max(block.getGeneration(), block.getIssuedGeneration()))
                .setBytes(block.getLength());
        BlockCopies.setReclaimed(reclaim, copies);
        state.addReclaim(reclaim.build());
    }
}
