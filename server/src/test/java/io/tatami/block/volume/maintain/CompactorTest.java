package io.tatami.block.volume.maintain;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.SimFaults.Fault;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.ShortBlocks;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.space.CompactionPlanner;
import io.tatami.block.volume.space.Extent;
import io.tatami.files.CrashPoint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Regions of 128 KiB and, if nothing else is said, blocks of 8 KiB, of which every other one is deleted in the highest.
 */
class CompactorTest {
    private static final int REGION = 128 << 10;
    private static final int BLOCK = 8 << 10;
    private static final int BLOCKS = REGION / BLOCK;

    private final ShortBlocks blocks = new ShortBlocks(1);
    private final SimVolume sim;

    CompactorTest() throws TatamiException {
        sim = new SimVolume(32 * REGION, 1);
    }

    /** Two full regions at the high end; the first loses half of its blocks and the second eight neighbours. */
    @BeforeEach
    void fill() throws TatamiException {
        List<BlockId> written = new ArrayList<>();
        for (int i = 0; i < 2 * BLOCKS; i++) {
            written.add(blocks.write(volume(), BLOCK - 5));
        }
        for (int i = 0; i < BLOCKS; i += 2) {
            blocks.delete(volume(), written.get(i));
            blocks.delete(volume(), written.get(BLOCKS + i / 2));
        }
    }

    @AfterEach
    void close() throws TatamiException {
        CrashPoint.listen(null);
        sim.close();
    }

    @Test
    void theWorstRegionBecomesOneFreeRunAndEveryBlockKeepsItsBytes() throws TatamiException {
        Compactor.Progress progress = compactor(Long.MAX_VALUE).compact();

        assertEquals(1, progress.emptiedRegions());
        assertEquals(8L * BLOCK, progress.movedBytes());
        assertEquals(progress.movedBytes(), volume().statistics().movedBytes());
        assertEquals(0, progress.deadBytes(), "all that is free is one run or at the end of one");
        blocks.ledger().compare(volume(), "after the move");
        ShortBlocks.assertNoRoomIsLost(volume(), "after the move");
        blocks.ledger().compare(sim.crash(), "after a crash");
        ShortBlocks.assertNoRoomIsLost(volume(), "after a crash");
    }

    @Test
    void aPassOverAVolumeThatIsCompactMovesNothing() throws TatamiException {
        Compactor compactor = compactor(Long.MAX_VALUE);
        long moved = compactor.compact().movedBytes();
        long accesses = sim.faults().accesses();

        assertEquals(moved, compactor.compact().movedBytes());
        assertEquals(accesses, sim.faults().accesses());
    }

    @Test
    void aDamagedBlockStaysIsReportedAndTheRestMoves() throws TatamiException {
        BlockId damaged = blocks.blocks().get(3);
        Extent place = place(damaged);
        sim.disk().flipBit(place.offsetBytes() + 77, 3);

        Compactor.Progress progress = compactor(Long.MAX_VALUE).compact();

        assertEquals(List.of(damaged + " 0"), sim.damages());
        assertEquals(place, place(damaged));
        assertTrue(volume().find(damaged).orElseThrow().damaged());
        assertEquals(7L * BLOCK, progress.movedBytes());
        ShortBlocks.assertNoRoomIsLost(volume(), "with damage");
        blocks.delete(volume(), damaged);
        blocks.ledger().compare(volume(), "but for the damaged one");
    }

    @Test
    void aBlockThatTheDiskCannotReadStaysAndTheVolumeServesOn() throws TatamiException {
        sim.faults().arm(1, Fault.IO_ERROR);

        compactor(Long.MAX_VALUE).compact();

        assertEquals("", volume().statistics().failure());
        blocks.ledger().compare(volume(), "after a read failed");
        ShortBlocks.assertNoRoomIsLost(volume(), "after a read failed");
    }

    @Test
    void anErrorOfAWriteStopsTheVolumeAndLosesNothing() throws TatamiException {
        for (int nth = 0; volume().statistics().failure().isEmpty(); nth++) {
            sim.faults().arm(nth, Fault.IO_ERROR);
            try {
                compactor(Long.MAX_VALUE).compact();
            } catch (TatamiException e) {
                assertEquals(ErrorCode.IO_ERROR, e.code());
            }
            assertTrue(sim.faults().hasStruck(), "the pass ended before access " + nth);
        }
        TatamiException refused = assertThrows(
                TatamiException.class, () -> compactor(Long.MAX_VALUE).compact());
        assertEquals(ErrorCode.IO_ERROR, refused.code());
        blocks.ledger().compare(sim.crash(), "after a write failed");
    }

    @Test
    void blocksThatAreDeletedReopenedOrWrittenMeanwhileAreLeftAlone() throws TatamiException {
        List<CompactionPlanner.Move> moves = new CompactionPlanner(
                        volume().allocator().area(), REGION)
                .plan(volume().placedBlocks(), volume().allocator().freeRuns())
                .orElseThrow()
                .moves();
        BlockId deleted = moves.get(0).block();
        blocks.delete(volume(), deleted);
        BlockId reopened = moves.get(1).block();
        BlockWriter writer = volume().reopen(reopened, Generation.of(2), BLOCK - 5, BLOCK);
        BlockId moved = moves.get(2).block();

        assertEquals(6, volume().relocator().move(moves), "all but two");

        assertEquals(moves.get(1).from(), place(reopened));
        assertEquals(moves.get(2).to(), place(moved));
        assertEquals(0, volume().relocator().move(moves), "none is where it was planned to be");
        writer.finish();
        blocks.ledger().compare(volume(), "with changes between plan and move");
        ShortBlocks.assertNoRoomIsLost(volume(), "with changes between plan and move");
    }

    @Test
    void aReaderWhoseBlockMovesWhileItReadsGetsTheBlocksBytes() throws TatamiException {
        BlockId read = blocks.blocks().get(0);
        byte[] expected = SimVolume.readAll(volume(), read);
        Extent left = place(read);
        sim.disk().duringNextRead(() -> moveAndReuse(left));

        assertArrayEquals(expected, SimVolume.readAll(volume(), read));

        assertFalse(left.equals(place(read)), "the block did not move");
        assertEquals(List.of(), sim.damages());
    }

    @Test
    void aBlockThatMovesWhileAWrongReadIsRepeatedIsNotDamaged() throws TatamiException {
        BlockId read = blocks.blocks().get(0);
        byte[] expected = SimVolume.readAll(volume(), read);
        Extent left = place(read);
        sim.disk().duringNextRead(() -> {
            sim.disk().flipOnNextRead();
            sim.disk().duringNextRead(() -> moveAndReuse(left));
        });

        assertArrayEquals(expected, SimVolume.readAll(volume(), read));

        assertFalse(left.equals(place(read)), "the block did not move");
        assertEquals(List.of(), sim.damages());
        assertFalse(volume().find(read).orElseThrow().damaged());
    }

    /** Another block's bytes are where the reader's were when its read goes on. */
    private void moveAndReuse(Extent left) {
        try {
            compactor(Long.MAX_VALUE).compact();
            while (volume().allocator().claim(left)) {
                volume().allocator().release(left);
                blocks.write(volume(), BLOCK);
            }
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aWriterIsNotRefusedForRoomThatAMoveHolds() throws Exception {
        while (volume().statistics().largestFreeExtentBytes() > 8L * BLOCK) {
            blocks.write(volume(), 8 * BLOCK + 1);
        }
        assertEquals(8L * BLOCK, volume().statistics().largestFreeExtentBytes());
        CompletableFuture<@Nullable Void> written = new CompletableFuture<>();
        AtomicBoolean begun = new AtomicBoolean();
        CrashPoint.listen(point -> {
            if (point.equals("volume.compact.after-claim") && begun.compareAndSet(false, true)) {
                assertTrue(volume().statistics().largestFreeExtentBytes() < 8L * BLOCK);
                written.completeAsync(this::writeEightBlocks);
                awaitWaiting(written);
            }
        });

        compactor(Long.MAX_VALUE).compact();

        written.get(60, TimeUnit.SECONDS);
        assertTrue(begun.get());
        blocks.ledger().compare(volume(), "with a writer that waited");
    }

    private @Nullable Void writeEightBlocks() {
        try {
            blocks.write(volume(), 8 * BLOCK);
            return null;
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The move goes on only when the writer waits for it, or was refused. */
    private void awaitWaiting(CompletableFuture<?> written) {
        while (!volume().relocator().isAwaited() && !written.isDone()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void whereWritersHaveAllBuffersNothingMoves() throws TatamiException {
        List<BlockWriter> writers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            BlockWriter writer = volume().create(new BlockId(1_000 + i), Generation.FIRST, 4096, false);
            writer.append(ByteBuffer.allocate(4096 - 1), null);
            writers.add(writer);
        }

        assertEquals(0, compactor(Long.MAX_VALUE).compact().movedBytes());

        for (BlockWriter writer : writers) {
            writer.abort();
        }
        assertEquals(1, compactor(Long.MAX_VALUE).compact().emptiedRegions());
    }

    @Test
    void aPassThatIsAheadOfItsRateWaitsAndIsEndedByClose() throws TatamiException {
        Compactor compactor = compactor(1);
        compactor.start();
        compactor.start();

        compactor.close();

        assertFalse(compactor.isRunning());
        assertTrue(compactor.progress().movedBytes() <= 8L * BLOCK);
        blocks.ledger().compare(volume(), "after a pass that was ended");
    }

    private Compactor compactor(long bytesPerSecondMax) {
        return new Compactor(volume(), Clock.SYSTEM, bytesPerSecondMax, REGION);
    }

    private Volume volume() {
        return sim.volume();
    }

    private Extent place(BlockId block) {
        Map<BlockId, Extent> places = new HashMap<>();
        volume().placedBlocks().forEach(placed -> places.put(placed.block(), placed.extent()));
        Extent place = places.get(block);
        assertNotNull(place, block + " is gone");
        return place;
    }
}
