package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.volume.maintain.Scrubber;
import io.tatami.block.volume.space.CompactionPlanner;
import io.tatami.block.volume.space.Extent;
import io.tatami.block.volume.space.PlacedBlock;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One read that goes wrong by chance condemns no block, whoever makes it; two do. */
final class OneWrongReadTest {
    private static final BlockId BLOCK = new BlockId(7);
    private static final int LENGTH = 300_000;

    private final SimVolume sim;
    private final byte[] bytes = new byte[LENGTH];
    private final List<BlockId> condemned = new ArrayList<>();

    OneWrongReadTest() throws TatamiException {
        sim = new SimVolume(64 << 20, 1);
        new SplittableRandom(5).nextBytes(bytes);
    }

    @BeforeEach
    void fill() throws TatamiException {
        BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, LENGTH, false);
        writer.append(ByteBuffer.wrap(bytes), null);
        writer.finish();
        sim.volume().onDamagedCopy(copy -> condemned.add(copy.block()));
    }

    @AfterEach
    void close() throws TatamiException {
        sim.close();
    }

    @Test
    void aReaderReadsAgainWhereAReadFails() throws TatamiException {
        failOnNextRead();

        assertArrayEquals(bytes, SimVolume.readAll(sim.volume(), BLOCK));

        assertSound();
    }

    @Test
    void aScrubReadsAgainWhereAReadFails() throws TatamiException {
        // The first two reads are of the superblock's copies.
        sim.disk().duringNextRead(() -> sim.disk().duringNextRead(this::failOnNextRead));

        try (Scrubber scrubber = new Scrubber(sim.volume(), Clock.SYSTEM, Long.MAX_VALUE)) {
            assertEquals(0, scrubber.scrub().damagedChunks());
        }

        assertSound();
    }

    @Test
    void aCutWithinAChunkReadsAgainWhereTheBytesAreWrong() throws TatamiException {
        sim.disk().flipOnNextRead();

        sim.volume().truncate(BLOCK, Generation.of(2), 1_000);

        assertArrayEquals(Arrays.copyOf(bytes, 1_000), SimVolume.readAll(sim.volume(), BLOCK));
        assertSound();
    }

    @Test
    void anAppendThatMovesTheBlockReadsAgainWhereTheBytesAreWrong() throws TatamiException {
        BlockWriter neighbour = sim.volume().create(new BlockId(8), Generation.FIRST, LENGTH, false);
        Extent before = place();
        sim.disk().flipOnNextRead();

        sim.volume().reopen(BLOCK, Generation.of(2), LENGTH, 4L * LENGTH).finish();

        assertFalse(before.equals(place()), "the block did not move");
        assertArrayEquals(bytes, SimVolume.readAll(sim.volume(), BLOCK));
        assertSound();
        neighbour.finish();
    }

    @Test
    void aMoveReadsAgainWhereTheBytesAreWrong() throws TatamiException {
        Extent from = place();
        Extent to = new Extent(from.offsetBytes() + (32 << 20), from.lengthBytes());
        sim.disk().flipOnNextRead();

        assertEquals(1, sim.volume().relocator().move(List.of(new CompactionPlanner.Move(BLOCK, from, to))));

        assertEquals(to, place());
        assertArrayEquals(bytes, SimVolume.readAll(sim.volume(), BLOCK));
        assertSound();
    }

    @Test
    void whatIsWrongTwiceIsDamageAndToldOnce() throws TatamiException {
        sim.disk().flipBit(place().offsetBytes() + 100_000, 3);

        for (int read = 0; read < 3; read++) {
            TatamiException wrong = assertThrows(TatamiException.class, () -> SimVolume.readAll(sim.volume(), BLOCK));
            assertEquals(ErrorCode.CORRUPT, wrong.code());
        }

        assertTrue(sim.volume().find(BLOCK).orElseThrow().damaged());
        assertEquals(List.of(BLOCK), condemned);
        assertEquals(3, sim.volume().statistics().damagedChunks());
    }

    @Test
    void whatCannotBeReadTwiceIsDamageAndToldOnce() throws TatamiException {
        sim.disk().setUnreadable(firstSector(), true);

        for (int read = 0; read < 3; read++) {
            TatamiException failed = assertThrows(TatamiException.class, () -> SimVolume.readAll(sim.volume(), BLOCK));
            assertEquals(ErrorCode.IO_ERROR, failed.code());
        }

        assertTrue(sim.volume().find(BLOCK).orElseThrow().damaged());
        assertEquals(List.of(BLOCK), condemned);
    }

    /** The next read fails, and those after it do not. */
    private void failOnNextRead() {
        sim.disk().setUnreadable(firstSector(), true);
        sim.disk()
                .duringNextRead(() -> sim.disk().duringNextRead(() -> sim.disk().setUnreadable(firstSector(), false)));
    }

    private long firstSector() {
        return place().offsetBytes() / Device.ALIGNMENT_BYTES;
    }

    private Extent place() {
        for (PlacedBlock placed : sim.volume().placedBlocks()) {
            if (placed.block().equals(BLOCK)) {
                return placed.extent();
            }
        }
        throw new AssertionError("the block is gone");
    }

    private void assertSound() {
        assertFalse(sim.volume().find(BLOCK).orElseThrow().damaged());
        assertEquals(List.of(), condemned);
        assertEquals(List.of(), sim.damages());
    }
}
