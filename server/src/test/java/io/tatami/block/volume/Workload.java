package io.tatami.block.volume;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A random life of a volume's blocks: create, append at odd lengths, sync, finish, reopen, truncate, adopt generations,
 * delete. The same seed does the same. Keeps a ledger of what was acknowledged. Used by one thread.
 */
final class Workload {
    private static final int BLOCKS_MAX = 5;

    private final Random random;
    private final Ledger ledger;
    private final Map<BlockId, BlockWriter> writers = new HashMap<>();
    private final List<BlockId> blocks = new ArrayList<>();
    private long nextBlock;
    private long nextGeneration;

    /** @param firstNumber above all block ids and generations that were used with the ledger before */
    Workload(long seed, Ledger ledger, long firstNumber) {
        this.random = new Random(seed);
        this.ledger = ledger;
        this.nextBlock = firstNumber;
        this.nextGeneration = firstNumber;
    }

    /** Goes on with blocks that were there before, too. */
    void adopt(Volume volume) {
        volume.blocks().forEach(stored -> blocks.add(stored.block()));
    }

    /** One random step. Throws what the volume throws; what was under way is then open in the ledger. */
    void step(Volume volume) throws TatamiException {
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

    private void create(Volume volume) throws TatamiException {
        BlockId block = new BlockId(++nextBlock);
        ledger.entry(block);
        writers.put(block, volume.create(block, ++nextGeneration, reservedBytes(), random.nextInt(4) == 0));
        blocks.add(block);
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
            if (e.code() != ErrorCode.NO_SPACE || e.detail().isEmpty()) {
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
        Ledger.Entry entry = ledger.entry(block);
        int here = (int) volume.find(block).orElseThrow().durableBytes();
        int length = random.nextInt(3) == 0 ? random.nextInt(here + 1) : here;
        long generation = ++nextGeneration;
        entry.changeUnderWay = true;
        entry.cutUnderWay = length;
        if (random.nextBoolean()) {
            volume.truncate(block, length, generation);
            entry.acknowledge(length, generation, true);
        } else {
            BlockWriter writer = volume.reopen(block, generation, length, reservedBytes());
            entry.issued = Arrays.copyOf(entry.issued, length);
            entry.acknowledge(length, generation, false);
            writers.put(block, writer);
        }
    }

    private void setGeneration(Volume volume, BlockId block) throws TatamiException {
        Ledger.Entry entry = ledger.entry(block);
        long generation = ++nextGeneration;
        volume.setGeneration(block, generation);
        entry.ackedGeneration = generation;
        entry.ackedAtAll = true;
        writers.remove(block);
    }

    private void delete(Volume volume, BlockId block) throws TatamiException {
        ledger.entry(block).deleteUnderWay = true;
        volume.delete(block, Long.MAX_VALUE);
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
