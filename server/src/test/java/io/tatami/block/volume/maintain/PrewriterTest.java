package io.tatami.block.volume.maintain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.device.FailStop;
import io.tatami.block.device.SimFaults.Fault;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.ShortBlocks;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.format.SuperblockFormat;
import io.tatami.block.volume.index.BlockIndex;
import io.tatami.block.volume.space.Extent;
import io.tatami.block.volume.space.Reservation;
import io.tatami.files.CrashPoint;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A volume file of 16 units, of which nothing is written yet. */
class PrewriterTest {
    private static final long UNIT = Device.UNIT_BYTES;
    private static final long AHEAD = 3 * UNIT;

    private final ShortBlocks blocks = new ShortBlocks(1);
    private final SimVolume sim;

    PrewriterTest() throws TatamiException {
        sim = new SimVolume(16 * UNIT, 1);
    }

    @BeforeEach
    void nothingIsWritten() throws TatamiException {
        new BlockIndex(sim.store(), new FailStop("index"))
                .setUnwritten(new Extent(0, SuperblockFormat.DATA_OFFSET + 16 * UNIT));
        sim.crash();
    }

    @AfterEach
    void close() throws TatamiException {
        CrashPoint.listen(null);
        sim.close();
    }

    @Test
    void bothEndsOfTheFreeRoomAreWrittenAsFarAsAskedAndOnlyOnce() throws TatamiException {
        assertEquals(2 * AHEAD, prewritten());
        assertEquals(0, prewritten());
        assertEquals(0, volume().statistics().usedBytes());

        sim.crash();
        assertEquals(0, prewritten());
    }

    @Test
    void itKeepsAheadOfBlocksAtBothEnds() throws TatamiException {
        prewritten();
        write(1, UNIT, false);
        write(2, 2 * UNIT, true);

        assertEquals(3 * UNIT, prewritten());
        assertEquals(0, prewritten());
    }

    @Test
    void placesThatABlockHasTakenBeforeAreLeftToIt() throws TatamiException {
        write(1, 5 * UNIT, false);

        assertEquals(2 * AHEAD, prewritten());
        volume().delete(new BlockId(1), Generation.MAX);
        assertEquals(0, prewritten());
    }

    @Test
    void nothingIsWrittenWhereTheIndexDoesNotSayThatItIsAFile() throws TatamiException {
        try (SimVolume device = new SimVolume(16 * UNIT, 2)) {
            assertEquals(0, new Prewriter(device.volume(), Clock.SYSTEM, AHEAD).prewrite());
        }
    }

    @Test
    void blocksKeepTheirBytesWhereverTheWritingIsCut() throws TatamiException {
        blocks.writeAndThin(volume(), 0.3, 200_000, 0.5);
        boolean cut = true;
        for (int access = 0; cut; access++) {
            sim.faults().arm(access, Fault.POWER_CUT);
            try {
                prewritten();
                cut = sim.faults().hasStruck();
            } catch (TatamiException e) {
                assertTrue(sim.faults().hasStruck(), e.toString());
            }
            String when = "after a cut at access " + access;
            blocks.ledger().compare(sim.crash(), when);
            ShortBlocks.assertNoRoomIsLost(volume(), when);
        }
        assertEquals(0, prewritten());
    }

    @Test
    void aWriterIsNotRefusedForRoomThatIsBeingWritten() throws Exception {
        CompletableFuture<@Nullable Void> written = new CompletableFuture<>();
        CrashPoint.listen(point -> {
            if (point.equals("volume.first-write.after-claim")) {
                CrashPoint.listen(null);
                written.completeAsync(this::writeAll);
                while (!volume().relocator().isAwaited() && !written.isDone()) {
                    Thread.onSpinWait();
                }
            }
        });

        prewritten();

        written.get(60, TimeUnit.SECONDS);
        blocks.ledger().compare(volume(), "with a writer that waited");
    }

    private @Nullable Void writeAll() {
        try {
            blocks.write(volume(), (int) (16 * UNIT));
            return null;
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aDiskThatFailsStopsTheVolume() {
        sim.faults().arm(0, Fault.IO_ERROR);

        TatamiException failed = assertThrows(TatamiException.class, this::prewritten);

        assertEquals(ErrorCode.IO_ERROR, failed.code());
        assertThrows(TatamiException.class, () -> write(1, 10, false));
    }

    private void write(long id, long length, boolean isShort) throws TatamiException {
        BlockWriter writer =
                volume().create(new BlockId(id), Generation.FIRST, new Reservation(length, length, isShort));
        writer.append(ByteBuffer.allocate((int) Math.min(length, UNIT)), null);
        writer.sync();
    }

    private long prewritten() throws TatamiException {
        return new Prewriter(volume(), Clock.SYSTEM, AHEAD).prewrite();
    }

    private Volume volume() {
        return sim.volume();
    }
}
