package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.format.SuperblockFormat;
import io.tatami.block.volume.index.BlockIndexFormat;
import io.tatami.block.volume.index.BlockRecord;
import io.tatami.block.volume.maintain.Scrubber;
import io.tatami.block.volume.space.Extent;
import io.tatami.files.Envelope;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Rot and torn writes behind the volume's back: an error, never data. */
class DamageTest {
    private static final int LENGTH = 300_001;
    private static final long SEED = Long.getLong("tatami.test.seed", 1);
    private static final BlockId BLOCK = new BlockId(7);
    private static final int SECTOR = 4096;
    private static final long FIRST_SECTOR = SuperblockFormat.DATA_OFFSET / SECTOR;

    private final byte[] bytes = new byte[LENGTH];
    private final SimVolume sim;

    DamageTest() throws TatamiException {
        sim = new SimVolume(8 << 20, 1);
        new Random(3).nextBytes(bytes);
    }

    @AfterEach
    void closeVolume() throws TatamiException {
        sim.close();
    }

    @Test
    void everyFlippedBitIsFoundByReadAndNothingElseIsHarmed() throws TatamiException {
        write(BLOCK);
        Random random = new Random(17);
        for (int round = 0; round < 300; round++) {
            int at = random.nextInt(LENGTH);
            int bit = random.nextInt(8);
            long chunk = at / 65_536 * 65_536L;
            sim.disk().flipBit(SuperblockFormat.DATA_OFFSET + at, bit);

            TatamiException found =
                    assertThrows(TatamiException.class, () -> SimVolume.readAll(sim.volume(), BLOCK), "bit " + at);
            assertEquals(ErrorCode.CORRUPT, found.code());
            assertEquals(new Detail.DamagedChunk(chunk), found.detail());
            assertEquals(BLOCK + " " + chunk, sim.damages().get(round));
            int intact = chunk == 0 ? 65_536 : 0;
            assertArrayEquals(
                    Arrays.copyOfRange(bytes, intact, intact + 1000),
                    SimVolume.read(sim.volume(), BLOCK, intact, 1000));
            sim.disk().flipBit(SuperblockFormat.DATA_OFFSET + at, bit);
        }
        assertTrue(sim.volume().find(BLOCK).orElseThrow().damaged());
        assertEquals(300, sim.volume().statistics().damagedChunks());
    }

    @Test
    void whatIsSoundBeforeADamagedChunkIsReadAndThenTheDamageIsTold() throws TatamiException {
        write(BLOCK);
        int damaged = 3 * 65_536;
        sim.disk().flipBit(SuperblockFormat.DATA_OFFSET + damaged + 99, 3);
        for (int from : new int[] {0, 1_000, 65_536, damaged, damaged + 10}) {
            int sound = Math.max(0, damaged - from);
            try (BlockReader reader = sim.volume().read(BLOCK, Generation.FIRST, from, LENGTH - from)) {
                if (sound > 0) {
                    try (ReadUnit unit = Objects.requireNonNull(reader.next())) {
                        byte[] read = new byte[unit.data().remaining()];
                        unit.data().duplicate().get(read);
                        assertArrayEquals(Arrays.copyOfRange(bytes, from, damaged), read);
                    }
                }
                for (int again = 0; again < 2; again++) {
                    TatamiException told = assertThrows(TatamiException.class, reader::next);
                    assertEquals(ErrorCode.CORRUPT, told.code());
                    assertEquals(new Detail.DamagedChunk(damaged), told.detail());
                }
            }
        }
    }

    @Test
    void everyTornWriteOfTheLastSectorsIsFound() throws TatamiException {
        write(BLOCK);
        int sectors = 6;
        long first = FIRST_SECTOR + LENGTH / SECTOR + 1 - sectors;
        List<byte[]> whole = new ArrayList<>();
        for (int i = 0; i < sectors; i++) {
            whole.add(sim.disk().peek(first + i));
        }
        for (int lost = 1; lost < 1 << sectors; lost++) {
            for (int i = 0; i < sectors; i++) {
                sim.disk().poke(first + i, (lost >> i & 1) != 0 ? new byte[SECTOR] : whole.get(i));
            }
            assertUnreadable("sectors lost: " + Integer.toBinaryString(lost));
        }
        for (int i = 0; i < sectors; i++) {
            sim.disk().poke(first + i, whole.get(i));
        }
        for (int kept = 0; kept < LENGTH % SECTOR; kept += 7) {
            sim.disk().poke(first + sectors - 1, Arrays.copyOf(Arrays.copyOf(whole.get(sectors - 1), kept), SECTOR));
            assertUnreadable("the last sector has only " + kept + " bytes");
        }
    }

    @Test
    void swappedSectorsAreFound() throws TatamiException {
        write(BLOCK);
        byte[] first = sim.disk().peek(FIRST_SECTOR);
        sim.disk().poke(FIRST_SECTOR, sim.disk().peek(FIRST_SECTOR + 40));
        sim.disk().poke(FIRST_SECTOR + 40, first);

        assertUnreadable("sectors 0 and 40 are swapped");
    }

    @Test
    void aDamagedChunkIsNeitherAppendedToNorCopied() throws TatamiException {
        write(BLOCK);
        write(new BlockId(8));
        sim.disk().flipBit(SuperblockFormat.DATA_OFFSET + LENGTH - 1, 0);
        assertFails(ErrorCode.CORRUPT, () -> sim.volume().reopen(BLOCK, Generation.of(2), LENGTH, LENGTH));
        sim.disk().flipBit(SuperblockFormat.DATA_OFFSET + LENGTH - 1, 0);
        sim.disk().flipBit(SuperblockFormat.DATA_OFFSET, 0);
        long used = sim.volume().statistics().usedBytes();

        assertFails(ErrorCode.CORRUPT, () -> sim.volume().reopen(BLOCK, Generation.of(2), LENGTH, 1 << 20));

        assertEquals(used, sim.volume().statistics().usedBytes());
        sim.disk().flipBit(SuperblockFormat.DATA_OFFSET, 0);
        assertArrayEquals(bytes, SimVolume.readAll(sim.crash(), BLOCK));
    }

    @Test
    void aFlippedBitOfTheIndexIsAnErrorAndNeverData() throws TatamiException {
        write(BLOCK);
        Random random = new Random(23);
        for (Map.Entry<byte[], byte[]> entry : new TreeMap<>(sim.store().entries()).entrySet()) {
            for (int round = 0; round < 60; round++) {
                byte[] damaged = entry.getValue().clone();
                damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
                sim.store().entries().put(entry.getKey(), damaged);

                TatamiException found = assertThrows(TatamiException.class, () -> {
                    SimVolume.readAll(sim.crash(), BLOCK);
                });
                assertEquals(ErrorCode.CORRUPT, found.code());
            }
            sim.store().entries().put(entry.getKey(), entry.getValue());
        }
        assertArrayEquals(bytes, SimVolume.readAll(sim.crash(), BLOCK));
    }

    @Test
    void aRecordUnderAnotherBlocksKeyIsFound() throws TatamiException {
        write(BLOCK);
        byte[] value = sim.store().entries().get(BlockIndexFormat.recordKey(BLOCK));
        sim.store().entries().put(BlockIndexFormat.recordKey(new BlockId(8)), value);

        assertFails(ErrorCode.CORRUPT, sim::crash);
    }

    @Test
    void twoBlocksInOneExtentAreRefused() throws TatamiException {
        write(BLOCK);
        BlockRecord twin = new BlockRecord(
                new BlockId(8),
                Generation.FIRST,
                new Extent(SuperblockFormat.DATA_OFFSET + SECTOR, SECTOR),
                0,
                BlockRecord.State.FINALIZED,
                BlockRecord.NO_TAIL);
        sim.store().entries().put(BlockIndexFormat.recordKey(twin.block()), BlockIndexFormat.encodeRecord(twin));

        assertFails(ErrorCode.CORRUPT, sim::crash);
    }

    @Test
    void aRecordThatIsLostOrOldIsToldByAScrubAndRefusedAtTheNextOpening() throws TatamiException {
        write(BLOCK);
        write(new BlockId(8));
        byte[] key = BlockIndexFormat.recordKey(BLOCK);
        byte[] old = Objects.requireNonNull(sim.store().entries().get(key));
        sim.volume().setGeneration(BLOCK, Generation.of(2));
        byte[] now = Objects.requireNonNull(sim.store().entries().get(key));

        for (byte[] value : Arrays.asList(null, old)) {
            if (value == null) {
                sim.store().entries().remove(key);
            } else {
                sim.store().entries().put(key, value);
            }
            String told = scrubbed().structureDamage();
            assertTrue(told.contains("one is lost, or an old one is back"), told);
            TatamiException refused = assertThrows(TatamiException.class, sim::crash);
            assertEquals(ErrorCode.CORRUPT, refused.code());
            assertTrue(refused.toString().contains("format it again"), refused.toString());
            sim.store().entries().put(key, now);
            assertArrayEquals(bytes, SimVolume.readAll(sim.crash(), BLOCK));
            assertEquals("", scrubbed().structureDamage());
        }
    }

    @Test
    void anIndexFromBeforeThereWasASumIsGivenOneWhenItIsOpened() throws TatamiException {
        write(BLOCK);
        write(new BlockId(8));
        Map<byte[], byte[]> entries = sim.store().entries();
        byte[] identity = Objects.requireNonNull(entries.get(BlockIndexFormat.IDENTITY_KEY));
        Envelope.Opened opened = Envelope.unwrap(Envelope.Kind.BLOCK_INDEX, 2, 2, identity, "identity");
        byte[] older = Envelope.wrap(Envelope.Kind.BLOCK_INDEX, 1, opened.owner(), opened.payload());
        entries.put(BlockIndexFormat.IDENTITY_KEY, older);
        entries.remove(BlockIndexFormat.SUM_KEY);

        assertArrayEquals(bytes, SimVolume.readAll(sim.crash(), BLOCK));
        assertEquals("", scrubbed().structureDamage());
        assertArrayEquals(identity, entries.get(BlockIndexFormat.IDENTITY_KEY));
        entries.remove(BlockIndexFormat.recordKey(BLOCK));
        assertFails(ErrorCode.CORRUPT, sim::crash);
    }

    @Test
    void eitherCopyOfTheSuperblockSuffices() throws TatamiException {
        write(BLOCK);
        long second = (2 << 20) / SECTOR;
        byte[] firstCopy = sim.disk().peek(0);

        sim.disk().poke(0, new byte[SECTOR]);
        assertArrayEquals(bytes, SimVolume.readAll(sim.crash(), BLOCK));
        sim.disk().poke(0, firstCopy);
        sim.disk().poke(second, new byte[SECTOR]);
        assertArrayEquals(bytes, SimVolume.readAll(sim.crash(), BLOCK));
        sim.disk().flipBit(40, 3);
        assertFails(ErrorCode.CORRUPT, sim::crash);
    }

    @Test
    void aScrubFindsAllDamageOfAllBlocks() throws TatamiException {
        write(BLOCK);
        write(new BlockId(8));
        StoredBlock whole = sim.volume().find(BLOCK).orElseThrow();
        sim.disk().flipBit(SuperblockFormat.DATA_OFFSET + 10, 0);
        sim.disk().flipBit(SuperblockFormat.DATA_OFFSET + 200_000, 0);
        sim.disk().flipBit(SuperblockFormat.DATA_OFFSET + 304 * 1024, 0);

        Scrubber.Progress progress = scrubbed();

        assertEquals(List.of("b7 0", "b7 196608", "b8 0"), sim.damages());
        assertEquals(3, progress.damagedChunks());
        assertEquals(2L * LENGTH, progress.totalBytes());
        assertEquals(0, progress.skippedBlocks());
        assertTrue(!whole.damaged() && sim.volume().find(BLOCK).orElseThrow().damaged());
    }

    @Test
    void everyDamageOfDataIndexAndSuperblockIsToldAndScrubbed() throws TatamiException {
        Map<String, Long> counts = new TreeMap<>();
        for (long seed = SEED; seed < SEED + 4; seed++) {
            DamageCourse.run(seed, 60, counts);
        }
        assertEquals(11, counts.size(), counts.toString());
    }

    /** Goes on where its log ends, see {@link SoakLog}. */
    @Test
    @Tag("soak")
    void everyOf100000DamagesIsToldAndScrubbed() throws Exception {
        SoakLog.run("damage.log", 20, 1_000, (seed, counts) -> DamageCourse.run(seed, 100, counts));
    }

    private Scrubber.Progress scrubbed() throws TatamiException {
        try (Scrubber scrubber = new Scrubber(sim.volume(), Clock.SYSTEM, Long.MAX_VALUE)) {
            return scrubber.scrub();
        }
    }

    private void assertUnreadable(String when) {
        TatamiException found = assertThrows(TatamiException.class, () -> SimVolume.readAll(sim.volume(), BLOCK), when);
        assertEquals(ErrorCode.CORRUPT, found.code(), when);
    }

    private void write(BlockId block) throws TatamiException {
        BlockWriter writer = sim.volume().create(block, Generation.FIRST, LENGTH, false);
        writer.append(ByteBuffer.wrap(bytes), null);
        writer.finish();
    }

    private static void assertFails(ErrorCode code, Executable call) {
        assertEquals(code, assertThrows(TatamiException.class, call).code());
    }
}
