package io.tatami.block.service.moves;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.CopyRate;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.volumes.VolumeSet.ServedVolume;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.ShortBlocks;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.StoredBlock;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.space.PlacedBlock;
import io.tatami.block.volume.space.Reservation;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Two simulated volumes of one server, blocks on the first, and what is to be moved. Used by one thread. */
final class MoveRig implements AutoCloseable {
    static final Generation PROMISED = Generation.of(7);

    private static final long FIRST_BYTES = 4L << 20;
    private static final long SECOND_BYTES = 8L << 20;
    private static final int LENGTH_MAX = 100_000;
    private static final long BATCH_BYTES = 192 << 10;

    final SimVolume first;
    final SimVolume second;
    private final Random random;
    private final Map<BlockId, Kept> blocks = new HashMap<>();
    private final int balancePercent;
    private boolean draining;
    private VolumeSet volumes = new VolumeSet(List.of());
    private VolumeMoves moves;

    /** What was acknowledged of a block. */
    private record Kept(byte[] bytes, int copyNumber, Generation promised) {}

    MoveRig(long seed, int balancePercent) throws TatamiException {
        this.random = new Random(seed);
        this.balancePercent = balancePercent;
        this.first = new SimVolume(FIRST_BYTES, seed);
        this.second = new SimVolume(SECOND_BYTES, seed + 1);
        this.moves = serve();
    }

    private VolumeMoves serve() {
        first.volume().closeToNew(draining);
        volumes = new VolumeSet(
                List.of(new ServedVolume(first.volume(), "first"), new ServedVolume(second.volume(), "second")));
        return new VolumeMoves(volumes, Clock.SYSTEM, new CopyRate(Clock.SYSTEM, 0), balancePercent, BATCH_BYTES);
    }

    VolumeSet volumes() {
        return volumes;
    }

    VolumeMoves moves() {
        return moves;
    }

    /** Blocks of many lengths, some of them fenced, and with numbers of copies. */
    MoveRig fill(double share) throws TatamiException {
        while (first.volume().statistics().usedBytes() < share * FIRST_BYTES) {
            write(random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(LENGTH_MAX), random.nextInt(3), random.nextBoolean());
        }
        return this;
    }

    BlockId write(int length, int copyNumber, boolean fenced) throws TatamiException {
        BlockId block = new BlockId(blocks.size() + 1);
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        BlockWriter writer = first.volume()
                .create(block, Generation.FIRST, new Reservation(Math.max(1, length), 1, length < 50_000), copyNumber);
        writer.append(ByteBuffer.wrap(bytes), null);
        long unused = writer.finish();
        if (fenced) {
            boolean raised = first.volume().fence(block, PROMISED);
            assertTrue(raised);
        }
        blocks.put(block, new Kept(bytes, copyNumber, fenced ? PROMISED : Generation.FIRST));
        return block;
    }

    void drain() {
        draining = true;
        first.volume().closeToNew(true);
    }

    void drainNoMore() {
        draining = false;
        first.volume().closeToNew(false);
    }

    /** The power of the host goes, and the next process opens both volumes. */
    void crash() throws TatamiException {
        Volume unusedFirst = first.crash();
        Volume unusedSecond = second.crash();
        moves = serve();
    }

    /** Turns a bit of a block's first bytes. */
    static void damage(SimVolume sim, BlockId block) {
        for (PlacedBlock placed : sim.volume().placedBlocks()) {
            if (placed.block().equals(block)) {
                sim.disk().flipBit(placed.extent().offsetBytes() + 5, 3);
            }
        }
    }

    void forget(BlockId block) {
        blocks.remove(block);
    }

    /** Every copy that is here is whole, and of each block there is one. */
    void compare(String when) throws TatamiException {
        for (Map.Entry<BlockId, Kept> known : blocks.entrySet()) {
            List<VolumeSet.Found> copies = volumes.findAll(known.getKey());
            assertFalse(copies.isEmpty(), when + ": " + known.getKey() + " is lost");
            for (VolumeSet.Found copy : copies) {
                compare(copy, known.getValue(), when);
            }
        }
        for (SimVolume sim : List.of(first, second)) {
            for (StoredBlock stored : sim.volume().blocks()) {
                assertNotNull(blocks.get(stored.block()), when + ": " + stored + " never was");
            }
            ShortBlocks.assertNoRoomIsLost(sim.volume(), when);
        }
    }

    private static void compare(VolumeSet.Found copy, Kept kept, String when) throws TatamiException {
        StoredBlock stored = copy.stored();
        assertTrue(stored.finalized() && !stored.damaged(), when + ": " + stored);
        assertEquals(Generation.FIRST, stored.generation(), when);
        assertEquals(kept.promised(), stored.promised(), when);
        assertEquals(kept.copyNumber(), stored.copyNumber(), when);
        assertArrayEquals(kept.bytes(), SimVolume.readAll(copy.volume(), stored.block()), when);
    }

    void requireOneCopyOfEach(String when) {
        for (BlockId block : blocks.keySet()) {
            assertEquals(1, volumes.findAll(block).size(), when + ": " + block);
        }
    }

    @Override
    public void close() throws TatamiException {
        first.close();
        second.close();
    }
}
