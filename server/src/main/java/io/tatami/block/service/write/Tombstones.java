package io.tatami.block.service.write;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Blocks that were deleted lately, most of which were never here: a writer that was granted one ahead, and lost its
 * file before it began it, is refused instead of leaving a block that no file has. Of the last {@value #BLOCKS_MAX}
 * deletions, in memory only: a block that is begun in spite of its deletion is found by the next audit. Safe for use by
 * many threads.
 */
public final class Tombstones {
    static final int BLOCKS_MAX = 65_536;

    private final Map<BlockId, Generation> generations = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<BlockId, Generation> eldest) {
            return size() > BLOCKS_MAX;
        }
    };

    /**
     * To be called before the block is looked for and deleted, so that an opening at the same time is either found or
     * refused.
     *
     * @param generationMax above which the block may be begun again
     */
    public synchronized void add(BlockId block, Generation generationMax) {
        generations.merge(block, generationMax, (before, now) -> before.isAbove(now) ? before : now);
    }

    /** @throws TatamiException FENCED where the block was deleted under this generation or a later one */
    synchronized void requireNone(BlockId block, Generation generation) throws TatamiException {
        if (!generations.getOrDefault(block, Generation.NONE).isBelow(generation)) {
            throw new TatamiException(
                    ErrorCode.FENCED, block + " was deleted under generation " + generation + " or a later one");
        }
    }
}
