package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Clock;
import io.tatami.base.Detail;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.maintain.Compactor;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A random life of a volume's blocks: create, append at odd lengths, sync, finish, read, reopen, truncate, adopt
 * generations, delete; beside them crowds of short blocks that come and half go, and compactions. The same seed does
 * the same. Keeps a ledger of what was acknowledged. Used by one thread.
 */
final class Workload {
    private static final int BLOCKS_MAX = 5;
    private static final int READS_PERCENT = 15;
    private static final int CROWDS_PERCENT = 7;
    private static final int CROWD_BLOCKS = 8;
    private static final int SHORT_BYTES_MAX = 12_000;
    private static final int COMPACTIONS_PERCENT = 7;

    /** Short, so that a crowd which was thinned leaves some that are worth emptying. */
    private static final long REGION_BYTES = 64 << 10;

    private final Random random;
    private final Ledger ledger;
    private final Map<BlockId, BlockWriter> writers = new HashMap<>();
    private final List<BlockId> blocks = new ArrayList<>();
    private final ShortBlocks crowd;
    private long nextBlock;
    private Generation newestGeneration;
    private boolean compacting;

    /** @param firstNumber above all block ids and generations that were used with the ledger before */
    Workload(long seed, Ledger ledger, long firstNumber) {
        this.random = new Random(seed);
        this.ledger = ledger;
        this.nextBlock = firstNumber;
        this.newestGeneration = Generation.of(firstNumber);
        this.crowd = new ShortBlocks(random, ledger, () -> ++nextBlock);
    }

    /** Whether the last step was a compaction, or its failure. */
    boolean isCompacting() {
        return compacting;
    }

    /** Goes on with blocks that were there before, too. */
    void adopt(Volume volume) {
        volume.blocks().forEach(stored -> blocks.add(stored.block()));
    }

    /** One random step. Throws what the volume throws; what was under way is then open in the ledger. */
    void step(Volume volume) throws TatamiException {
        int beside = random.nextInt(100);
        compacting = beside < COMPACTIONS_PERCENT;
        if (compacting) {
            compact(volume);
        } else if (beside < COMPACTIONS_PERCENT + CROWDS_PERCENT) {
            crowd(volume);
        } else {
            stepOfOneBlock(volume);
        }
    }

    private void stepOfOneBlock(Volume volume) throws TatamiException {
        if (!blocks.isEmpty() && random.nextInt(100) < READS_PERCENT) {
            read(volume, blocks.get(random.nextInt(blocks.size())));
            return;
        }
        int choice = random.nextInt(100);
        if (blocks.isEmpty() || (choice < 15 && blocks.size() < BLOCKS_MAX)) {
            create(volume);
            return;
        }
        BlockId block = blocks.get(random.nextInt(blocks.size()));
        BlockWriter writer = writers.get(block);
        if (choice < 90 && writer == null) {
            reopenOrTruncate(volume, block);
        } else if (choice < 60 && writer != null) {
            append(writer);
        } else if (choice < 75 && writer != null) {
            sync(writer);
        } else if (choice < 85 && writer != null) {
            finish(writer);
        } else if (choice < 92) {
            setGeneration(volume, block);
        } else {
            delete(volume, block);
        }
    }

    /**
     * Ends what was being written when the volume was opened, as the metadata would have it done: kept, or cut shorter.
     */
    void recover(Volume volume) throws TatamiException {
        for (BlockId block : List.copyOf(blocks)) {
            if (!volume.find(block).orElseThrow().finalized()) {
                truncate(volume, block, nextGeneration(), lengthOf(volume, block));
            }
        }
    }

    private static void compact(Volume volume) throws TatamiException {
        try (Compactor compactor = new Compactor(volume, Clock.SYSTEM, Long.MAX_VALUE, REGION_BYTES)) {
            compactor.compact();
        }
    }

    private void crowd(Volume volume) throws TatamiException {
        for (int i = 0; i < CROWD_BLOCKS; i++) {
            crowd.write(volume, 1 + random.nextInt(SHORT_BYTES_MAX));
        }
        crowd.thin(volume, 0.5);
    }

    private void read(Volume volume, BlockId block) throws TatamiException {
        int visible = (int) volume.find(block).orElseThrow().visibleBytes();
        int offset = random.nextInt(visible + 1);
        byte[] expected =
                Arrays.copyOfRange(ledger.entry(block).issued, offset, offset + random.nextInt(visible - offset + 1));
        byte[] found = SimVolume.read(volume, block, offset, expected.length);
        assertArrayEquals(expected, found, () -> expected.length + " bytes of " + block + " from " + offset);
    }

    private void create(Volume volume) throws TatamiException {
        BlockId block = new BlockId(++nextBlock);
        ledger.entry(block);
        writers.put(block, volume.create(block, nextGeneration(), reservedBytes(), random.nextInt(4) == 0));
        blocks.add(block);
    }

    private Generation nextGeneration() {
        newestGeneration = newestGeneration.next();
        return newestGeneration;
    }

    private void append(BlockWriter writer) throws TatamiException {
        Ledger.Entry entry = ledger.entry(writer.block());
        int at = (int) writer.lengthBytes();
        int length = 1 + random.nextInt(random.nextBoolean() ? 5_000 : 150_000);
        byte[] data = new byte[length];
        random.nextBytes(data);
        byte[] issued = Arrays.copyOf(entry.issued, at + length);
        System.arraycopy(data, 0, issued, at, length);
        entry.issued = issued;
        entry.changeUnderWay = true;
        try {
            writer.append(ByteBuffer.wrap(data), random.nextBoolean() ? checksums(at, data) : null);
        } catch (TatamiException e) {
            if (!(e.detail() instanceof Detail.RoomLeft)) {
                throw e;
            }
            entry.issued = Arrays.copyOf(issued, at);
        }
    }

    private void sync(BlockWriter writer) throws TatamiException {
        Ledger.Entry entry = ledger.entry(writer.block());
        entry.changeUnderWay = true;
        entry.acknowledge((int) writer.sync(), writer.generation(), false);
    }

    private void finish(BlockWriter writer) throws TatamiException {
        Ledger.Entry entry = ledger.entry(writer.block());
        entry.changeUnderWay = true;
        entry.acknowledge((int) writer.finish(), writer.generation(), true);
        writers.remove(writer.block());
    }

    private void reopenOrTruncate(Volume volume, BlockId block) throws TatamiException {
        int length = lengthOf(volume, block);
        Generation generation = nextGeneration();
        if (random.nextBoolean()) {
            truncate(volume, block, generation, length);
            return;
        }
        Ledger.Entry entry = ledger.entry(block);
        entry.changeUnderWay = true;
        entry.cutUnderWay = length;
        BlockWriter writer = volume.reopen(block, generation, length, reservedBytes());
        entry.issued = Arrays.copyOf(entry.issued, length);
        entry.acknowledge(length, generation, false);
        writers.put(block, writer);
    }

    private void truncate(Volume volume, BlockId block, Generation generation, int length) throws TatamiException {
        Ledger.Entry entry = ledger.entry(block);
        entry.changeUnderWay = true;
        entry.cutUnderWay = length;
        volume.truncate(block, generation, length);
        entry.acknowledge(length, generation, true);
    }

    /** All that is durable of a block, or less. */
    private int lengthOf(Volume volume, BlockId block) {
        int here = (int) volume.find(block).orElseThrow().durableBytes();
        return random.nextInt(3) == 0 ? random.nextInt(here + 1) : here;
    }

    private void setGeneration(Volume volume, BlockId block) throws TatamiException {
        Ledger.Entry entry = ledger.entry(block);
        Generation generation = nextGeneration();
        volume.setGeneration(block, generation);
        entry.ackedGeneration = generation;
        entry.ackedAtAll = true;
        writers.remove(block);
    }

    private void delete(Volume volume, BlockId block) throws TatamiException {
        ledger.entry(block).deleteUnderWay = true;
        volume.delete(block, Generation.MAX);
        ledger.forget(block);
        writers.remove(block);
        blocks.remove(block);
    }

    /** Short ones among them, so that blocks fill the gaps behind others, which must then move to grow. */
    private int reservedBytes() {
        return 1 << (16 + random.nextInt(5));
    }

    private static int[] checksums(int at, byte[] data) {
        return ChunkChecksum.ofPieces(at, ByteBuffer.wrap(data));
    }
}
