package io.tatami.meta.op.copies;

import io.tatami.base.BlockId;
import io.tatami.base.FileId;
import io.tatami.meta.state.BlockCopies;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BlockRecord;
import io.tatami.meta.state.wire.HomeRecord;
import io.tatami.meta.state.wire.NeededBlock;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds what the copies of a block are judged by. A file whose block is not where the hint says is read once. For one
 * decision.
 */
final class NeededBlocks {
    private final ShardState state;

    /** Of files that were read, the indexes of their blocks. */
    private final Map<FileId, Map<BlockId, Integer>> indexes = new HashMap<>();

    NeededBlocks(ShardState state) {
        this.state = state;
    }

    /** The block as it is now; without a record where it is gone or not final. */
    NeededBlock find(BlockId block, int indexHint) {
        NeededBlock.Builder needed = NeededBlock.newBuilder().setBlockId(block.value());
        FileId file = state.fileOf(block);
        HomeRecord home = file == null ? null : state.home(file);
        if (file == null || home == null) {
            return needed.build();
        }
        needed.setFileId(file.value()).setWanted(Math.max(1, home.getReplication()));
        int index = index(file, block, indexHint);
        BlockRecord record = index < 0 ? null : state.block(file, index);
        if (record == null || record.getOpen()) {
            return needed.build();
        }
        needed.setIndex(index).setBlock(record);
        return needed.addAllProblem(KnownCopies.problems(state, block, BlockCopies.all(record)))
                .build();
    }

    /** The block's record, be it final or being changed; null where there is none. */
    @Nullable
    BlockRecord record(BlockId block) {
        FileId file = state.fileOf(block);
        int index = file == null ? -1 : index(file, block, state.needs().indexHint(block));
        return file == null || index < 0 ? null : state.block(file, index);
    }

    /** {@link #find(BlockId, int)}, where it is queued by the hint that stands there. */
    NeededBlock find(BlockId block) {
        return find(block, state.needs().indexHint(block));
    }

    /** The block as it is now, if that is as it was seen; null else. */
    @Nullable
    NeededBlock unchanged(NeededBlock seen) {
        NeededBlock now = find(new BlockId(seen.getBlockId()), seen.getIndex());
        return now.equals(seen) ? now : null;
    }

    /** -1 where the file has no such record. */
    private int index(FileId file, BlockId block, int hint) {
        BlockRecord hinted = state.block(file, hint);
        if (hinted != null && hinted.getBlockId() == block.value()) {
            return hint;
        }
        return indexes.computeIfAbsent(file, this::read).getOrDefault(block, -1);
    }

    private Map<BlockId, Integer> read(FileId file) {
        Map<BlockId, Integer> found = new HashMap<>();
        HomeRecord home = state.home(file);
        if (home != null) {
            state.recordedBlocks(file, home)
                    .forEach((index, record) -> found.put(new BlockId(record.getBlockId()), index));
        }
        return found;
    }
}
