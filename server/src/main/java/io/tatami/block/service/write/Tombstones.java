package io.tatami.block.service.write;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Blocks that were deleted or fenced lately, most of which were never here: a writer that was granted one ahead, and
 * lost its file before it began it, is refused instead of leaving a block that no file has. Of the last
 * {@value #BLOCKS_MAX} blocks, in memory only: a block that is begun in spite of its deletion is found by the next
 * audit. Safe for use by many threads.
 */
public final class Tombstones {
    static final int BLOCKS_MAX = 65_536;

    private static final Tombstone NOTHING = new Tombstone(Generation.NONE, Generation.NONE, 0);

    private final Map<BlockId, Tombstone> tombstones = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<BlockId, Tombstone> eldest) {
            return size() > BLOCKS_MAX;
        }
    };

    /**
     * What is refused of one block.
     *
     * @param fenced a copy of any number below this generation
     * @param generationMax a copy of number 0 up to this generation
     * @param numberMax a copy of a number from 1 up to this one: of the numbers of one server's copies the newest is
     *     the highest
     */
    private record Tombstone(Generation fenced, Generation generationMax, int numberMax) {
        Tombstone and(Tombstone other) {
            return new Tombstone(
                    higher(fenced, other.fenced),
                    higher(generationMax, other.generationMax),
                    Math.max(numberMax, other.numberMax));
        }

        private static Generation higher(Generation one, Generation other) {
            return one.isAbove(other) ? one : other;
        }
    }

    /**
     * To be called before the block is looked for and deleted, so that an opening at the same time is either found or
     * refused.
     *
     * @param copyNumber which copy must not be begun any more
     * @param generationMax for number 0: above which the block may be begun again
     */
    public void addDeleted(BlockId block, int copyNumber, Generation generationMax) {
        add(
                block,
                copyNumber == 0
                        ? new Tombstone(Generation.NONE, generationMax, 0)
                        : new Tombstone(Generation.NONE, Generation.NONE, copyNumber));
    }

    /** As {@link #addDeleted}, before a block is looked for and fenced under {@code generation}. */
    public void addFenced(BlockId block, Generation generation) {
        add(block, new Tombstone(generation, Generation.NONE, 0));
    }

    private synchronized void add(BlockId block, Tombstone tombstone) {
        tombstones.merge(block, tombstone, Tombstone::and);
    }

    /**
     * To be called before a copy is begun, and once more when it can be found.
     *
     * @throws TatamiException FENCED where it was deleted, or the block fenced under a higher generation
     */
    public synchronized void requireNone(BlockId block, int copyNumber, Generation generation) throws TatamiException {
        Tombstone tombstone = tombstones.getOrDefault(block, NOTHING);
        if (generation.isBelow(tombstone.fenced)) {
            throw new TatamiException(
                    ErrorCode.FENCED, block + " has promised generation " + tombstone.fenced + ", above " + generation);
        }
        if (copyNumber == 0 ? !tombstone.generationMax.isBelow(generation) : copyNumber <= tombstone.numberMax) {
            throw new TatamiException(
                    ErrorCode.FENCED,
                    "copy " + copyNumber + " of " + block + " was deleted under generation " + generation
                            + " or a later one");
        }
    }
}
