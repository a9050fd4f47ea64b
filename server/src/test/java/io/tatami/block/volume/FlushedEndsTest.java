package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.SimFaults;
import io.tatami.block.volume.index.BlockIndexFormat;
import io.tatami.block.volume.index.FlushedEnd;
import io.tatami.block.volume.index.FlushedEnds;
import io.tatami.block.volume.space.Extent;
import io.tatami.files.CrashPoint;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was flushed survives the end of a process, what was synced the end of the host, whatever ends in between. */
class FlushedEndsTest {
    private static final long DATA_BYTES = 64 << 20;
    private static final BlockId BLOCK = new BlockId(1);
    private static final UUID VOLUME = new UUID(3, 4);
    private static final Optional<UUID> BOOT = Optional.of(new UUID(5, 6));

    @TempDir
    private Path directory;

    private Path file() {
        return directory.resolve("flushed");
    }

    @AfterEach
    void listenNoMore() {
        CrashPoint.listen(null);
    }

    private static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static void append(BlockWriter writer, byte[] bytes, int from, int to) throws TatamiException {
        writer.append(ByteBuffer.wrap(bytes, from, to - from), null);
    }

    private static StoredBlock find(Volume volume) {
        return volume.find(BLOCK).orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 100, 4_096, 5_000, 65_536, 70_001, 4 << 20, (4 << 20) + 9, (16 << 20) - 100})
    void flushedBytesAreThereAfterTheEndOfAProcessAndNotAfterThatOfTheHost(int flushed) throws Exception {
        byte[] bytes = bytes(1, 10_000 + flushed + 100);
        try (SimVolume sim = new SimVolume(DATA_BYTES, 1).withFlushedEnds(file())) {
            BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, 32 << 20, false);
            append(writer, bytes, 0, 10_000);
            assertEquals(10_000, writer.flush(), "the index knows nothing of the block: the first flush syncs");
            append(writer, bytes, 10_000, 10_000 + flushed);
            assertEquals(10_000, writer.flush(), "no sync");
            append(writer, bytes, 10_000 + flushed, bytes.length);
            sim.endProcess();
            assertEquals(10_000 + flushed, find(sim.volume()).durableBytes());
            assertArrayEquals(Arrays.copyOf(bytes, 10_000 + flushed), SimVolume.readAll(sim.volume(), BLOCK));
            // What was taken over is durable from then on.
            sim.crash();
            assertArrayEquals(Arrays.copyOf(bytes, 10_000 + flushed), SimVolume.readAll(sim.volume(), BLOCK));
        }
        try (SimVolume sim = new SimVolume(DATA_BYTES, 1).withFlushedEnds(file())) {
            BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, 32 << 20, false);
            append(writer, bytes, 0, 10_000);
            long unused = writer.sync();
            append(writer, bytes, 10_000, bytes.length);
            assertEquals(10_000, writer.flush());
            sim.crash();
            assertArrayEquals(Arrays.copyOf(bytes, 10_000), SimVolume.readAll(sim.volume(), BLOCK));
        }
    }

    @Test
    void whatAFailedFlushLostIsNotTakenOverAndHarmsNothingThatWasSynced() throws Exception {
        byte[] bytes = bytes(1, 80_000);
        try (SimVolume sim = new SimVolume(DATA_BYTES, 1).withFlushedEnds(file())) {
            flushBehindSynced(sim, bytes);
            sim.faults().arm(0, SimFaults.Fault.IO_ERROR);
            assertThrows(TatamiException.class, () -> sim.volume().setGeneration(BLOCK, Generation.of(2)));
            StoredBlock found = find(sim.endProcess());
            assertEquals(10_000, found.durableBytes());
            assertTrue(found.mayLackFlushed());
            assertArrayEquals(Arrays.copyOf(bytes, 10_000), SimVolume.readAll(sim.volume(), BLOCK));
            assertTrue(find(sim.endProcess()).mayLackFlushed(), "the next start knows, too");
        }
    }

    @Test
    void whatAFailedWriteElsewhereDidNotHarmIsTakenOver() throws Exception {
        byte[] bytes = bytes(1, 80_000);
        try (SimVolume sim = new SimVolume(DATA_BYTES, 1).withFlushedEnds(file())) {
            flushBehindSynced(sim, bytes);
            BlockWriter other = sim.volume().create(new BlockId(2), Generation.FIRST, 1 << 20, false);
            append(other, bytes, 0, 10_000);
            sim.faults().arm(0, SimFaults.Fault.IO_ERROR);
            assertThrows(TatamiException.class, other::flush);
            StoredBlock found = find(sim.endProcess());
            assertEquals(bytes.length, found.durableBytes());
            assertFalse(found.mayLackFlushed());
            assertArrayEquals(bytes, SimVolume.readAll(sim.volume(), BLOCK));
        }
    }

    /** The first 10,000 bytes are synced, all are flushed. */
    private static void flushBehindSynced(SimVolume sim, byte[] bytes) throws TatamiException {
        BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, 1 << 20, false);
        append(writer, bytes, 0, 10_000);
        long unused = writer.sync();
        append(writer, bytes, 10_000, bytes.length);
        assertEquals(10_000, writer.flush(), "no sync");
    }

    @Test
    void blockThatWasWrittenBeforeABootMayLackBytesUntilSomebodyGoesOnWithIt() throws Exception {
        BlockId finished = new BlockId(2);
        try (SimVolume sim = new SimVolume(DATA_BYTES, 1).withFlushedEnds(file())) {
            BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, 1 << 20, false);
            append(writer, bytes(1, 10_000), 0, 10_000);
            long unused = writer.sync();
            BlockWriter other = sim.volume().create(finished, Generation.FIRST, 1 << 20, false);
            append(other, bytes(2, 10_000), 0, 10_000);
            unused = other.finish();
            assertFalse(find(sim.volume()).mayLackFlushed());
            assertFalse(find(sim.endProcess()).mayLackFlushed(), "the kernel has what was flushed");
            assertTrue(find(sim.crash()).mayLackFlushed());
            assertFalse(sim.volume().find(finished).orElseThrow().mayLackFlushed());
            sim.volume().setGeneration(BLOCK, Generation.of(2));
            assertTrue(find(sim.endProcess()).mayLackFlushed(), "the boot before counts still");
            assertTrue(find(sim.volume()).mayLackFlushed());
            unused = sim.volume()
                    .reopen(BLOCK, Generation.of(3), 10_000, 1 << 20)
                    .finish();
            assertFalse(find(sim.volume()).mayLackFlushed());
        }
    }

    @Test
    void damagedChecksumsOfABlockKeepNoOtherBlockFromWhatItHadFlushed() throws Exception {
        byte[] bytes = bytes(1, 20_000);
        BlockId sound = new BlockId(2);
        try (SimVolume sim = new SimVolume(DATA_BYTES, 1).withFlushedEnds(file())) {
            for (BlockId block : List.of(BLOCK, sound)) {
                BlockWriter writer = sim.volume().create(block, Generation.FIRST, 1 << 20, false);
                append(writer, bytes, 0, 10_000);
                long unused = writer.sync();
                append(writer, bytes, 10_000, 20_000);
                assertEquals(10_000, writer.flush());
            }
            byte[] damaged = Objects.requireNonNull(sim.store().entries().get(BlockIndexFormat.segmentKey(BLOCK, 0)));
            damaged[damaged.length - 1] ^= 1;
            sim.endProcess();
            assertArrayEquals(bytes, SimVolume.readAll(sim.volume(), sound));
            assertEquals(10_000, find(sim.volume()).durableBytes());
            assertTrue(find(sim.volume()).mayLackFlushed());
            TatamiException failure = assertThrows(TatamiException.class, () -> SimVolume.readAll(sim.volume(), BLOCK));
            assertEquals(ErrorCode.CORRUPT, failure.code());
            assertTrue(find(sim.volume()).damaged());
        }
    }

    @Test
    void cutToWhereTheIndexEndedUnderTheSameGenerationIsNotUndone() throws Exception {
        byte[] bytes = bytes(1, 20_000);
        try (SimVolume sim = new SimVolume(DATA_BYTES, 1).withFlushedEnds(file())) {
            BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, 1 << 20, false);
            append(writer, bytes, 0, 10_000);
            long unused = writer.sync();
            append(writer, bytes, 10_000, 20_000);
            assertEquals(10_000, writer.flush());
            BlockWriter next = sim.volume().reopen(BLOCK, Generation.FIRST, 10_000, 1 << 20);
            assertEquals(10_000, next.lengthBytes());
            assertEquals(10_000, find(sim.endProcess()).heldBytes());
        }
    }

    @Test
    void blockThatRunsTooFarAheadIsSynced() throws Exception {
        byte[] bytes = bytes(2, (17 << 20) + 1);
        try (SimVolume sim = new SimVolume(DATA_BYTES, 1).withFlushedEnds(file())) {
            BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, 32 << 20, false);
            append(writer, bytes, 0, 1 << 20);
            long unused = writer.sync();
            append(writer, bytes, 1 << 20, bytes.length);
            assertEquals(bytes.length, writer.flush());
            sim.crash();
            assertEquals(bytes.length, find(sim.volume()).durableBytes());
        }
    }

    @Test
    void newerCopyThatIsTornLeavesTheOneBefore() throws Exception {
        FlushedEnd first = end(10);
        FlushedEnd second = end(20);
        try (FlushedEnds ends = FlushedEnds.read(file(), VOLUME, BOOT)) {
            ends.begin(false);
            FlushedEnds.Slot slot = Objects.requireNonNull(ends.slot());
            assertTrue(slot.keep(first));
            assertTrue(slot.keep(second));
        }
        assertEquals(20, read(BOOT).get(0).lengthBytes());
        flipByteAt((16 << 10) + (8 << 10) + 70);
        assertEquals(10, read(BOOT).get(0).lengthBytes());
        assertArrayEquals(first.tail(), read(BOOT).get(0).tail());
        flipByteAt((16 << 10) + 70);
        assertEquals(List.of(), read(BOOT));
    }

    @Test
    void otherBootsAndOtherVolumesHaveNothing() throws Exception {
        try (FlushedEnds ends = FlushedEnds.read(file(), VOLUME, BOOT)) {
            ends.begin(false);
            assertTrue(Objects.requireNonNull(ends.slot()).keep(end(10)));
        }
        assertEquals(1, read(BOOT).size());
        assertEquals(List.of(), read(Optional.of(new UUID(5, 7))));
        assertEquals(List.of(), read(Optional.empty()));
        assertEquals(List.of(), FlushedEnds.read(file(), new UUID(3, 5), BOOT).found());
        Files.write(file(), Arrays.copyOf(Files.readAllBytes(file()), 5_000));
        assertEquals(List.of(), read(BOOT));
    }

    @Test
    void slotsAreUsedAgainAndEndAtALimit() throws Exception {
        try (FlushedEnds ends = FlushedEnds.read(file(), VOLUME, BOOT)) {
            assertNull(ends.slot(), "nothing is kept before it begins");
            ends.begin(false);
            List<FlushedEnds.Slot> slots = new ArrayList<>();
            for (int i = 0; i < FlushedEnds.SLOTS_MAX; i++) {
                slots.add(Objects.requireNonNull(ends.slot()));
            }
            assertNull(ends.slot());
            assertTrue(slots.get(7).keep(end(10)));
            slots.get(7).free();
            assertEquals(List.of(), read(BOOT));
            assertNotNull(ends.slot());
            assertNull(ends.slot());
        }
    }

    @Test
    void withoutAFileWhatIsFlushedIsSynced() throws Exception {
        Path nowhere = directory.resolve("missing").resolve("flushed");
        byte[] bytes = bytes(3, 20_000);
        try (SimVolume sim = new SimVolume(DATA_BYTES, 1).withFlushedEnds(nowhere)) {
            BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, 32 << 20, false);
            append(writer, bytes, 0, 10_000);
            long unused = writer.sync();
            append(writer, bytes, 10_000, 20_000);
            assertEquals(20_000, writer.flush());
            sim.crash();
            assertArrayEquals(bytes, SimVolume.readAll(sim.volume(), BLOCK));
        }
    }

    private List<FlushedEnd> read(Optional<UUID> boot) {
        return FlushedEnds.read(file(), VOLUME, boot).found();
    }

    private static FlushedEnd end(int length) {
        FlushedEnd.Base base = new FlushedEnd.Base(BLOCK, Generation.FIRST, new Extent(1 << 20, 1 << 20), 5);
        return new FlushedEnd(base, length, new int[] {length}, bytes(length, length));
    }

    private void flipByteAt(long offset) throws IOException {
        try (RandomAccessFile opened = new RandomAccessFile(file().toFile(), "rw")) {
            opened.seek(offset);
            int value = opened.read();
            opened.seek(offset);
            opened.write(value ^ 1);
        }
    }

    /** A script of random calls on one block, what it was told, and what it asked for without an answer. */
    private static final class Script {
        private final Random random;
        private final byte[] content;
        private Volume volume;
        private BlockWriter writer;
        private long generation = 1;
        private int written;
        private int flushed;
        private int synced;
        private int cutTo = Integer.MAX_VALUE;
        private boolean mayBeGone;
        private boolean gone;

        Script(long seed, Volume volume) throws TatamiException {
            this.random = new Random(seed);
            this.content = bytes(seed, 12 << 20);
            this.volume = volume;
            mayBeGone = true;
            writer = volume.create(BLOCK, Generation.of(generation), 16 << 20, false);
        }

        void step() throws TatamiException {
            int choice = random.nextInt(100);
            if (choice < 35) {
                int end = Math.min(
                        content.length, written + 1 + random.nextInt(random.nextInt(10) == 0 ? 400_000 : 9_000));
                append(writer, content, written, end);
                written = end;
            } else if (choice < 75) {
                long durable = writer.flush();
                flushed = written;
                synced = (int) Math.max(synced, durable);
                mayBeGone = false;
            } else if (choice < 83) {
                sync(writer.sync());
            } else if (choice < 87) {
                writer.persist();
                sync(written);
            } else if (choice < 92) {
                boolean isSame = random.nextBoolean();
                long next = isSame ? generation : generation + 1;
                writer.close();
                goOn(next, written);
            } else if (choice < 96) {
                // To where the index ends, too: then nothing of its record may change.
                int length = random.nextBoolean() ? Math.min(synced, written) : random.nextInt(written + 1);
                goOn(generation + random.nextInt(2), length);
            } else if (choice < 98) {
                volume.setGeneration(BLOCK, Generation.of(generation + 1));
                generation++;
                mayBeGone = false;
                goOn(generation + 1, written);
            } else if (synced > 0) {
                cutTo = synced;
                writer.abort();
                StoredBlock stored = find(volume);
                assertEquals(stored.durableBytes(), stored.heldBytes());
                written = (int) stored.durableBytes();
                flushed = written;
                cutTo = Integer.MAX_VALUE;
                goOn(generation + 1, written);
            }
        }

        private void sync(long durable) {
            flushed = written;
            synced = (int) durable;
            mayBeGone = false;
        }

        private void goOn(long next, int length) throws TatamiException {
            cutTo = length;
            writer = volume.reopen(BLOCK, Generation.of(next), length, 16 << 20);
            generation = next;
            written = length;
            cutTo = Integer.MAX_VALUE;
            sync(length);
        }

        void end() throws TatamiException {
            if (random.nextBoolean()) {
                long unused = writer.finish();
                sync(written);
            } else {
                mayBeGone = true;
                volume.delete(BLOCK, Generation.of(generation));
                gone = true;
            }
        }

        void check(Volume found, boolean isPowerCut, String when) throws TatamiException {
            Optional<StoredBlock> stored = found.find(BLOCK);
            if (gone) {
                assertTrue(stored.isEmpty(), when + ": it was deleted");
            }
            if (stored.isEmpty()) {
                assertTrue(mayBeGone, when + ": it is gone");
                return;
            }
            byte[] bytes = SimVolume.readAll(found, BLOCK);
            int least = Math.min(isPowerCut ? synced : flushed, cutTo);
            assertTrue(bytes.length >= least, when + ": " + bytes.length + " of " + least + " bytes are left");
            assertTrue(bytes.length <= written, when + ": " + bytes.length + " bytes are there, and not " + written);
            assertTrue(stored.get().generation().value() >= generation - (isPowerCut || mayBeGone ? 1 : 0), when);
            assertArrayEquals(Arrays.copyOf(content, bytes.length), bytes, when);
            BlockWriter next = found.reopen(BLOCK, Generation.of(generation + 5), bytes.length, 16 << 20);
            append(next, content, bytes.length, Math.min(content.length, bytes.length + 3_000));
            long unused = next.finish();
        }
    }

    @Test
    void randomCallsThatEndAtAnyStepLoseNothingThatWasPromised() throws Exception {
        long seed = Long.getLong("tatami.test.seed", 1);
        for (long each = seed; each < seed + 6; each++) {
            int steps = run(each, Integer.MAX_VALUE, false);
            for (int last = 1; last <= steps; last += 1 + last / 12) {
                int unused = run(each, last, false) + run(each, last, true);
            }
        }
    }

    /** Halts at the {@code last}th crash point; returns how many were passed. */
    private int run(long seed, int last, boolean isPowerCut) throws TatamiException {
        int[] passed = {0};
        String when = "seed " + seed + ", " + (isPowerCut ? "power cut" : "end") + " at " + last;
        try (SimVolume sim = new SimVolume(DATA_BYTES, seed).withFlushedEnds(file())) {
            Script script = new Script(seed, sim.volume());
            CrashPoint.listen(name -> {
                if (++passed[0] == last) {
                    throw new Halt();
                }
            });
            try {
                for (int step = 0; step < 50; step++) {
                    script.step();
                }
                script.end();
            } catch (Halt halted) {
                assertEquals(last, passed[0]);
            } finally {
                CrashPoint.listen(null);
            }
            script.check(isPowerCut ? sim.crash() : sim.endProcess(), isPowerCut, when);
        }
        return passed[0];
    }
}
