package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * What a volume has acknowledged, and what it was last asked for without an answer; compared with what is there after a
 * crash. Used by one thread.
 */
public final class Ledger {
    private final Map<BlockId, Entry> entries = new HashMap<>();

    /** One block. Its bytes after a crash must be a beginning of {@code issued}, acknowledged ones included. */
    public static final class Entry {
        public byte[] issued = new byte[0];
        int ackedLength;
        Generation ackedGeneration = Generation.NONE;
        boolean ackedAtAll;
        boolean ackedFinalized;
        /** The block's length if the cut under way was done; -1 while there is none. */
        int cutUnderWay = -1;

        boolean changeUnderWay;
        boolean deleteUnderWay;

        /** The length below which no crash may bring the block. */
        int lengthMin() {
            return cutUnderWay >= 0 ? Math.min(cutUnderWay, ackedLength) : ackedLength;
        }

        /** Everything asked for up to now was acknowledged, with this length. */
        void acknowledge(int length, Generation generation, boolean finalized) {
            issued = Arrays.copyOf(issued, Math.max(length, finalized ? length : issued.length));
            ackedLength = length;
            ackedGeneration = generation;
            ackedFinalized = finalized;
            ackedAtAll = true;
            cutUnderWay = -1;
            changeUnderWay = false;
        }
    }

    public Entry entry(BlockId block) {
        return entries.computeIfAbsent(block, unused -> new Entry());
    }

    void forget(BlockId block) {
        entries.remove(block);
    }

    /** From now on what is there counts as acknowledged, and nothing is under way. */
    void settle(Volume volume) throws TatamiException {
        for (StoredBlock stored : volume.blocks()) {
            Entry entry = entry(stored.block());
            entry.deleteUnderWay = false;
            entry.acknowledge((int) stored.durableBytes(), stored.generation(), stored.finalized());
            entry.issued = SimVolume.readAll(volume, stored.block());
        }
        entries.keySet().removeIf(block -> volume.find(block).isEmpty());
    }

    /**
     * Fails where an acknowledged byte, generation, end or deletion is missing, or a byte that was never written is
     * there.
     */
    public void compare(Volume volume, String when) throws TatamiException {
        for (StoredBlock stored : volume.blocks()) {
            assertNotNull(entries.get(stored.block()), when + ": " + stored + " was deleted or never was");
        }
        for (Map.Entry<BlockId, Entry> known : entries.entrySet()) {
            compare(volume, known.getKey(), known.getValue(), when + ": block " + known.getKey());
        }
    }

    private static void compare(Volume volume, BlockId block, Entry entry, String when) throws TatamiException {
        StoredBlock stored = volume.find(block).orElse(null);
        if (stored == null) {
            assertTrue(!entry.ackedAtAll || entry.deleteUnderWay, when + " is lost");
            return;
        }
        assertTrue(
                stored.durableBytes() >= entry.lengthMin(),
                when + " has " + stored.durableBytes() + " bytes, and " + entry.lengthMin() + " were acknowledged");
        assertTrue(stored.durableBytes() <= entry.issued.length, when + " is longer than what was written");
        assertFalse(stored.generation().isBelow(entry.ackedGeneration), when + " fell back to an older generation");
        if (!entry.changeUnderWay && entry.ackedFinalized) {
            assertTrue(stored.finalized(), when + " is not finalized");
        }
        byte[] found = SimVolume.readAll(volume, block);
        assertEquals(
                -1,
                Arrays.mismatch(found, Arrays.copyOf(entry.issued, found.length)),
                when + " has a wrong byte (its place is not -1)");
    }
}
