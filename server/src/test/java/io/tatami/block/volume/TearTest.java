package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.volume.format.SuperblockFormat;
import io.tatami.block.volume.maintain.Scrubber;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tears of the last write of a volume, sector by sector: of a unit of 1,024 sectors each prefix, and of its subsets a
 * seeded sample; of up to ten sectors each subset; of a superblock each subset of its pieces of 512 bytes, and each
 * prefix of its bytes. Either nobody was told of that write, and what was acknowledged before it is there, or it was
 * acknowledged and the disk lied, and each chunk that lacks something is told and nothing of it given out.
 */
class TearTest {
    private static final long SEED = Long.getLong("tatami.test.seed", 1);
    private static final int SECTOR = Device.ALIGNMENT_BYTES;
    private static final int UNIT = Device.UNIT_BYTES;
    private static final int UNIT_SECTORS = UNIT / SECTOR;
    private static final int CHUNK = 64 << 10;
    private static final int PIECE = 512;
    private static final int SUBSET_SECTORS_MAX = 10;
    private static final int SUBSETS = 25;
    private static final BlockId BLOCK = new BlockId(7);
    private static final Random RANDOM = new Random(SEED);

    private final SimVolume sim;
    private final List<byte[]> written = new ArrayList<>();
    private final List<byte[]> old = new ArrayList<>();
    private byte[] bytes = new byte[0];
    private long firstSector;

    /** Which sectors have been given their old bytes again. */
    private BitSet torn = new BitSet();

    TearTest() throws TatamiException {
        sim = new SimVolume(2L * UNIT, SEED);
    }

    @AfterEach
    void closeVolume() throws TatamiException {
        sim.close();
    }

    @Test
    void everyPrefixOfAnAcknowledgedUnitThatADiskLiedAboutIsTold() throws TatamiException {
        writeUnitOverOldBytes(UNIT);
        for (int kept = UNIT_SECTORS - 1; kept >= 0; kept--) {
            sim.disk().poke(firstSector + kept, old.get(kept));
            int chunk = kept * SECTOR / CHUNK * CHUNK;

            TatamiException told = assertThrows(
                    TatamiException.class,
                    () -> SimVolume.read(sim.volume(), BLOCK, chunk, CHUNK),
                    kept + " sectors kept");

            assertEquals(ErrorCode.CORRUPT, told.code());
            if (chunk > 0) {
                byte[] before = Arrays.copyOfRange(bytes, chunk - CHUNK, chunk);
                assertArrayEquals(before, SimVolume.read(sim.volume(), BLOCK, chunk - CHUNK, CHUNK));
            }
        }
    }

    @Test
    void subsetsOfAnAcknowledgedUnitThatADiskLiedAboutAreTold() throws TatamiException {
        tearUnit(SEED, SUBSETS);
    }

    /** Goes on where its log ends, see {@link SoakLog}. */
    @Test
    @Tag("soak")
    void twentyThousandSubsetsOfAUnitAreTold() throws Exception {
        SoakLog.run("tears.log", 20, 200, (seed, counts) -> {
            tearUnit(seed, 100);
            counts.merge("subsets of the 1024 sectors of a unit", 100L, Long::sum);
        });
    }

    @Test
    void everySubsetOfUpToTenSectorsIsTold() throws TatamiException {
        for (int sectors = 1; sectors <= SUBSET_SECTORS_MAX; sectors++) {
            writeUnitOverOldBytes(sectors * SECTOR - SECTOR / 3);
            for (int lost = 0; lost < 1 << sectors; lost++) {
                tear(BitSet.valueOf(new long[] {lost}));
                boolean isWhole = lost == 0;
                String when = "of " + sectors + " sectors lost: " + Integer.toBinaryString(lost);
                try {
                    assertArrayEquals(bytes, SimVolume.readAll(sim.volume(), BLOCK), when);
                    assertTrue(isWhole, when);
                } catch (TatamiException e) {
                    assertTrue(!isWhole && e.code() == ErrorCode.CORRUPT, when + ": " + e);
                }
            }
            sim.volume().delete(BLOCK, Generation.MAX);
        }
    }

    @Test
    void whatWasAcknowledgedSurvivesEveryPrefixAndSubsetsOfTheWriteThatFollows() throws TatamiException {
        int acknowledged = 3 * CHUNK + 777;
        BlockWriter writer = begin(UNIT);
        writer.append(ByteBuffer.wrap(bytes, 0, acknowledged), null);
        writer.sync();
        remember(old);
        writer.append(ByteBuffer.wrap(bytes, acknowledged, UNIT - acknowledged), null);
        remember(written);
        sim.crash();
        torn.set(0, UNIT_SECTORS);
        byte[] expected = Arrays.copyOf(bytes, acknowledged);
        BitSet lost = new BitSet();
        Random random = new Random(SEED);
        for (int round = 0; round < UNIT_SECTORS + SUBSETS; round++) {
            if (round <= UNIT_SECTORS) {
                lost.set(UNIT_SECTORS - round, UNIT_SECTORS);
            } else {
                lost = random(random, UNIT_SECTORS);
            }
            tear(lost);
            if (round % 256 == 0) {
                sim.crash();
            }
            assertArrayEquals(expected, SimVolume.readAll(sim.volume(), BLOCK), "round " + round);
        }
    }

    /** As by a format, and by a scrub that writes a damaged copy anew. */
    @Test
    void everyTearOfASuperblockLeavesTheVolumeAsItWasOrCompletes() throws TatamiException {
        for (long sector : new long[] {0, (2L << 20) / SECTOR}) {
            byte[] whole = sim.disk().peek(sector);
            byte[] rotten = new byte[SECTOR];
            new Random(SEED).nextBytes(rotten);
            for (byte[] before : List.of(new byte[SECTOR], rotten)) {
                for (int kept = 0; kept < 1 << (SECTOR / PIECE); kept++) {
                    byte[] torn = before.clone();
                    for (int piece = 0; piece < SECTOR / PIECE; piece++) {
                        if ((kept >> piece & 1) != 0) {
                            System.arraycopy(whole, piece * PIECE, torn, piece * PIECE, PIECE);
                        }
                    }
                    openWith(sector, torn);
                }
                for (int kept = 0; kept < PIECE; kept++) {
                    byte[] torn = before.clone();
                    System.arraycopy(whole, 0, torn, 0, kept);
                    openWith(sector, torn);
                }
            }
            sim.disk().poke(sector, whole);
        }
    }

    private void openWith(long sector, byte[] torn) throws TatamiException {
        sim.disk().poke(sector, torn);
        assertEquals(List.of(), sim.crash().blocks());
    }

    private void tearUnit(long seed, int subsets) throws TatamiException {
        if (written.isEmpty()) {
            writeUnitOverOldBytes(UNIT);
        }
        Random random = new Random(seed);
        for (int round = 0; round < subsets; round++) {
            BitSet lost = random(random, UNIT_SECTORS);
            tear(lost);
            TreeSet<String> wrong = new TreeSet<>();
            lost.stream().forEach(sector -> wrong.add(BLOCK + " " + sector * SECTOR / CHUNK * CHUNK));
            sim.damages().clear();
            try (Scrubber scrubber = new Scrubber(sim.volume(), Clock.SYSTEM, Long.MAX_VALUE)) {
                assertEquals(wrong.size(), scrubber.scrub().damagedChunks(), "seed " + seed + ", subset " + round);
            }
            assertEquals(wrong, new TreeSet<>(sim.damages()), "seed " + seed + ", subset " + round);
        }
    }

    /** Few sectors or many: half of a thousand would leave no chunk whole. */
    private static BitSet random(Random random, int sectors) {
        BitSet chosen = new BitSet(sectors);
        int share = 1 << random.nextInt(11);
        for (int sector = 0; sector < sectors; sector++) {
            chosen.set(sector, random.nextInt(share) == 0);
        }
        return chosen;
    }

    private void tear(BitSet lost) {
        BitSet changed = (BitSet) lost.clone();
        changed.xor(torn);
        changed.stream()
                .forEach(sector ->
                        sim.disk().poke(firstSector + sector, (lost.get(sector) ? old : written).get(sector)));
        torn = (BitSet) lost.clone();
    }

    /** A finished block whose last and only write went over what another block had left there. */
    private void writeUnitOverOldBytes(int length) throws TatamiException {
        BlockWriter before = sim.volume().create(new BlockId(6), Generation.FIRST, UNIT, false);
        before.append(ByteBuffer.wrap(random(length)), null);
        before.finish();
        sim.volume().delete(new BlockId(6), Generation.MAX);
        BlockWriter writer = begin(length);
        remember(old);
        writer.append(ByteBuffer.wrap(bytes), null);
        writer.finish();
        remember(written);
    }

    private BlockWriter begin(int length) throws TatamiException {
        bytes = random(length);
        BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, UNIT, false);
        firstSector = SuperblockFormat.DATA_OFFSET / SECTOR;
        return writer;
    }

    private void remember(List<byte[]> sectors) {
        torn = new BitSet();
        sectors.clear();
        for (int sector = 0; sector < (bytes.length + SECTOR - 1) / SECTOR; sector++) {
            sectors.add(sim.disk().peek(firstSector + sector));
        }
    }

    private static byte[] random(int length) {
        byte[] random = new byte[length];
        RANDOM.nextBytes(random);
        return random;
    }
}
