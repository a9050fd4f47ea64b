package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.space.PlacedBlock;
import io.tatami.block.volume.space.Reservation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Finalized short blocks with random bytes, of which a ledger is kept. The same seed does the same. Used by one thread.
 */
public final class ShortBlocks {
    private final Random random;
    private final Ledger ledger;
    private final LongSupplier ids;
    private final List<BlockId> blocks = new ArrayList<>();

    public ShortBlocks(long seed) {
        this(new Random(seed), new Ledger(), new AtomicLong()::incrementAndGet);
    }

    /** @param ids gives each block its id */
    public ShortBlocks(Random random, Ledger ledger, LongSupplier ids) {
        this.random = random;
        this.ledger = ledger;
        this.ids = ids;
    }

    public Ledger ledger() {
        return ledger;
    }

    /** In the order in which they were written. */
    public List<BlockId> blocks() {
        return Collections.unmodifiableList(blocks);
    }

    /** Writes a packed block. */
    public BlockId write(Volume volume, int length) throws TatamiException {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        BlockId block = new BlockId(ids.getAsLong());
        Ledger.Entry entry = ledger.entry(block);
        entry.issued = bytes;
        entry.changeUnderWay = true;
        BlockWriter writer = volume.create(block, Generation.FIRST, new Reservation(length, length, true));
        writer.append(ByteBuffer.wrap(bytes), null);
        entry.acknowledge((int) writer.finish(), Generation.FIRST, true);
        blocks.add(block);
        return block;
    }

    public void delete(Volume volume, BlockId block) throws TatamiException {
        ledger.entry(block).deleteUnderWay = true;
        volume.delete(block, Generation.MAX);
        ledger.forget(block);
        blocks.remove(block);
    }

    /** Blocks of all lengths until {@code share} of the room is taken, of which some are deleted again. */
    public void writeAndThin(Volume volume, double share, int lengthMax, double deletedShare) throws TatamiException {
        while (volume.statistics().usedBytes() < share * volume.statistics().capacityBytes()) {
            write(volume, 1 + random.nextInt(lengthMax));
        }
        thin(volume, deletedShare);
    }

    /** Deletes some, chosen at random. */
    void thin(Volume volume, double deletedShare) throws TatamiException {
        List<BlockId> going = new ArrayList<>(blocks);
        Collections.shuffle(going, random);
        for (BlockId block : going.subList(0, (int) (going.size() * deletedShare))) {
            delete(volume, block);
        }
    }

    /** That the allocator has given to blocks what the index says, and nothing else. */
    public static void assertNoRoomIsLost(Volume volume, String when) {
        long placedBytes = 0;
        for (PlacedBlock placed : volume.placedBlocks()) {
            placedBytes += placed.extent().lengthBytes();
        }
        assertEquals(placedBytes, volume.statistics().usedBytes(), when);
    }
}
