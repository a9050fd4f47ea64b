package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.space.Reservation;
import io.tatami.files.CrashPoint;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a fence, a finalization and a deletion by number do to a copy, and what of that outlives a process and a host.
 */
class CopyNumbersTest {
    private static final long DATA_BYTES = 32 << 20;
    private static final BlockId BLOCK = new BlockId(1);
    private static final Generation SECOND = Generation.of(2);
    private static final Generation THIRD = Generation.of(3);
    private static final Generation FOURTH = Generation.of(4);
    private static final byte[] BYTES = bytes(20_000);

    @TempDir
    private Path directory;

    @AfterEach
    void listenNoMore() {
        CrashPoint.listen(null);
    }

    private SimVolume volume() throws TatamiException {
        return new SimVolume(DATA_BYTES, 1).withFlushedEnds(directory.resolve("flushed"));
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(7).nextBytes(bytes);
        return bytes;
    }

    private static StoredBlock find(SimVolume sim) {
        return sim.volume().find(BLOCK).orElseThrow();
    }

    private static void append(BlockWriter writer, int from, int to) throws TatamiException {
        writer.append(ByteBuffer.wrap(BYTES, from, to - from), null);
    }

    private static BlockWriter begin(SimVolume sim, int copyNumber) throws TatamiException {
        return sim.volume().create(BLOCK, Generation.FIRST, new Reservation(1 << 20, 1, false), copyNumber);
    }

    private static void refused(ErrorCode code, Executable call) {
        assertEquals(code, assertThrows(TatamiException.class, call).code());
    }

    private static void requireNumbers(SimVolume sim, int generation, int promised, int copyNumber) {
        StoredBlock stored = find(sim);
        assertEquals(Generation.of(generation), stored.generation());
        assertEquals(Generation.of(promised), stored.promised());
        assertEquals(copyNumber, stored.copyNumber());
    }

    @Test
    void fenceRaisesThePromiseAloneEndsTheWriterAndOutlivesTheHost() throws TatamiException {
        try (SimVolume sim = volume()) {
            BlockWriter writer = begin(sim, 0);
            append(writer, 0, 10_000);
            long unused = writer.sync();
            append(writer, 10_000, 20_000);
            assertTrue(sim.volume().fence(BLOCK, THIRD));
            requireNumbers(sim, 1, 3, 0);
            assertEquals(20_000, find(sim).heldBytes());
            assertEquals(10_000, find(sim).durableBytes());
            refused(ErrorCode.FENCED, writer::sync);
            refused(ErrorCode.FENCED, () -> append(writer, 0, 1));
            assertFalse(sim.volume().fence(BLOCK, THIRD), "nothing new");
            refused(ErrorCode.FENCED, () -> sim.volume().fence(BLOCK, SECOND));
            sim.crash();
            requireNumbers(sim, 1, 3, 0);
            refused(ErrorCode.FENCED, () -> sim.volume().fence(BLOCK, SECOND));
            refused(ErrorCode.FENCED, () -> sim.volume().reopen(BLOCK, SECOND, 10_000, 1 << 20));
            refused(ErrorCode.FENCED, () -> sim.volume().finalizeAt(BLOCK, SECOND, 10_000));
            assertArrayEquals(Arrays.copyOf(BYTES, 10_000), SimVolume.readAll(sim.volume(), BLOCK));
        }
    }

    @Test
    void whatWasFlushedBeforeAFenceOutlivesTheProcessAfterIt() throws TatamiException {
        try (SimVolume sim = volume()) {
            BlockWriter writer = begin(sim, 5);
            append(writer, 0, 10_000);
            long unused = writer.sync();
            append(writer, 10_000, 20_000);
            assertEquals(10_000, writer.flush(), "no sync");
            assertTrue(sim.volume().fence(BLOCK, THIRD));
            sim.endProcess();
            requireNumbers(sim, 1, 3, 5);
            assertEquals(20_000, find(sim).durableBytes());
            assertFalse(find(sim).mayLackFlushed());
            assertTrue(sim.volume().finalizeAt(BLOCK, THIRD, 15_000));
            sim.crash();
            requireNumbers(sim, 3, 3, 5);
            assertArrayEquals(Arrays.copyOf(BYTES, 15_000), SimVolume.readAll(sim.volume(), BLOCK));
        }
    }

    @Test
    void fencedBlockThatWasNeverSyncedIsThereWithItsOldGenerationAfterTheEndOfTheHost() throws TatamiException {
        try (SimVolume sim = volume()) {
            BlockWriter writer = begin(sim, 0);
            append(writer, 0, 10_000);
            assertTrue(sim.volume().fence(BLOCK, SECOND));
            assertEquals(10_000, find(sim).heldBytes());
            sim.crash();
            requireNumbers(sim, 1, 2, 0);
            assertEquals(0, find(sim).heldBytes());
        }
    }

    @Test
    void finalizationCutsAdoptsTheGenerationAndIsDoneOnce() throws TatamiException {
        try (SimVolume sim = volume()) {
            BlockWriter writer = begin(sim, 0);
            append(writer, 0, 20_000);
            assertTrue(sim.volume().fence(BLOCK, SECOND));
            refused(ErrorCode.INVALID_ARGUMENT, () -> sim.volume().finalizeAt(BLOCK, SECOND, 20_001));
            assertFalse(find(sim).finalized());
            assertTrue(sim.volume().finalizeAt(BLOCK, SECOND, 12_345));
            requireNumbers(sim, 2, 2, 0);
            assertFalse(sim.volume().finalizeAt(BLOCK, SECOND, 12_345));
            refused(ErrorCode.INVALID_ARGUMENT, () -> sim.volume().finalizeAt(BLOCK, SECOND, 12_000));
            sim.crash();
            assertTrue(find(sim).finalized());
            assertFalse(sim.volume().finalizeAt(BLOCK, SECOND, 12_345));
            assertArrayEquals(Arrays.copyOf(BYTES, 12_345), SimVolume.readAll(sim.volume(), BLOCK));
            // A recovery that never fenced this copy finalizes all the same, and is the fence then.
            assertTrue(sim.volume().finalizeAt(BLOCK, FOURTH, 12_345));
            requireNumbers(sim, 4, 4, 0);
            refused(ErrorCode.FENCED, () -> sim.volume().finalizeAt(BLOCK, THIRD, 12_345));
        }
    }

    @Test
    void writerAtOrAboveThePromiseGoesOnAndIsNotStoppedByALateFence() throws TatamiException {
        try (SimVolume sim = volume()) {
            BlockWriter first = begin(sim, 0);
            append(first, 0, 10_000);
            long unused = first.finish();
            assertTrue(sim.volume().fence(BLOCK, SECOND));
            assertTrue(find(sim).finalized(), "the bytes are what they were");
            BlockWriter next = sim.volume().reopen(BLOCK, THIRD, 10_000, 1 << 20);
            requireNumbers(sim, 3, 3, 0);
            assertFalse(sim.volume().fence(BLOCK, THIRD));
            append(next, 10_000, 20_000);
            assertEquals(20_000, next.finish());
            assertArrayEquals(BYTES, SimVolume.readAll(sim.volume(), BLOCK));
        }
    }

    @Test
    void deletionTouchesTheCopyWithItsNumberAlone() throws TatamiException {
        try (SimVolume sim = volume()) {
            append(begin(sim, 5), 0, 100);
            assertFalse(sim.volume().delete(BLOCK, 0, Generation.MAX));
            assertFalse(sim.volume().delete(BLOCK, 4, Generation.MAX));
            assertFalse(sim.volume().delete(BLOCK, 6, Generation.MAX));
            assertEquals(5, find(sim).copyNumber());
            assertTrue(sim.volume().delete(BLOCK, 5, Generation.NONE), "whatever its generation");
            assertTrue(sim.volume().find(BLOCK).isEmpty());
            append(begin(sim, 0), 0, 100);
            assertFalse(sim.volume().delete(BLOCK, 5, Generation.MAX));
            assertTrue(sim.volume().fence(BLOCK, THIRD));
            assertTrue(sim.volume().delete(BLOCK, 0, Generation.FIRST), "a promise is no generation");
            sim.crash();
            assertTrue(sim.volume().find(BLOCK).isEmpty());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"volume.fence.before-commit", "volume.fence.after-commit"})
    void fenceThatWasCutOffIsThereOrNotAndHarmsNothing(String step) throws TatamiException {
        try (SimVolume sim = volume()) {
            BlockWriter writer = begin(sim, 6);
            append(writer, 0, 10_000);
            long unused = writer.sync();
            CrashPoint.listen(name -> {
                if (name.equals(step)) {
                    throw new Halt();
                }
            });
            assertThrows(Halt.class, () -> sim.volume().fence(BLOCK, SECOND));
            CrashPoint.listen(null);
            sim.crash();
            requireNumbers(sim, 1, step.endsWith("after-commit") ? 2 : 1, 6);
            assertArrayEquals(Arrays.copyOf(BYTES, 10_000), SimVolume.readAll(sim.volume(), BLOCK));
        }
    }
}
