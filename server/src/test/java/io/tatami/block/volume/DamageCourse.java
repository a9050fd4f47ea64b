package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.format.SuperblockFormat;
import io.tatami.block.volume.index.BlockIndexFormat;
import io.tatami.block.volume.index.BlockRecord;
import io.tatami.block.volume.maintain.Scrubber;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A volume after a random life, damaged behind its back in one way after the other. Whatever was damaged, its blocks
 * are read, chunk by chunk, and scrubbed, and what comes of that is compared with what is known to be wrong. The same
 * seed does the same.
 */
final class DamageCourse {
    private static final long DATA_BYTES = 8 << 20;
    private static final int STEPS = 80;
    private static final int SECTOR = 4096;
    private static final int CHUNK = 64 << 10;
    private static final long SECOND_SUPERBLOCK = (2 << 20) / SECTOR;

    /** What is done to a volume. */
    private enum Kind {
        FLIPPED_BIT_OF_DATA,
        /** A sector went to the place of another, and its own place kept what was there. */
        MISDIRECTED_WRITE_OF_DATA,
        /** A read of a sector gives another one. */
        MISDIRECTED_READ_OF_DATA,
        LOST_WRITE_OF_DATA,
        UNREADABLE_SECTOR_OF_DATA,
        FLIPPED_BIT_OF_INDEX,
        SWAPPED_VALUES_OF_INDEX,
        /** A value is gone or is the one before, which no checksum tells. */
        LOST_WRITE_OF_INDEX,
        FLIPPED_BIT_OF_SUPERBLOCK,
        MISDIRECTED_WRITE_OVER_SUPERBLOCK,
        BOTH_SUPERBLOCKS_OVERWRITTEN
    }

    private final String name;
    private final Random random;
    private final SimVolume sim;
    private final Map<Long, byte[]> sound = new TreeMap<>();
    private final NavigableMap<byte[], byte[]> soundIndex = new TreeMap<>(Arrays::compareUnsigned);
    private final Map<BlockId, byte[]> blocks = new TreeMap<>((one, other) -> Long.compare(one.value(), other.value()));
    private final Map<BlockId, BlockRecord> records =
            new TreeMap<>((one, other) -> Long.compare(one.value(), other.value()));
    private final List<Long> dataSectors = new ArrayList<>();

    private DamageCourse(long seed) throws TatamiException {
        this.name = "seed " + seed;
        this.random = new Random(seed);
        this.sim = new SimVolume(DATA_BYTES, seed);
    }

    /** Does {@code damages} damages to the volume of one seed; adds up how many there were of each kind. */
    static void run(long seed, int damages, Map<String, Long> counts) throws TatamiException {
        DamageCourse course = new DamageCourse(seed);
        try (course.sim) {
            course.live(seed);
            Map<Kind, Long> done = new EnumMap<>(Kind.class);
            for (int damage = 0; damage < damages; damage++) {
                Kind kind = Kind.values()[course.random.nextInt(Kind.values().length)];
                course.damage(kind, course.name + ", damage " + damage + ", " + kind);
                done.merge(kind, 1L, Long::sum);
            }
            done.forEach((kind, count) -> counts.merge(text(kind), count, Long::sum));
        }
    }

    private static String text(Kind kind) {
        return kind.toString().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    /** Leaves some blocks, finished and unfinished, all of which is durable. */
    private void live(long seed) throws TatamiException {
        Ledger ledger = new Ledger();
        Workload workload = new Workload(seed, ledger, 0);
        for (int step = 0;
                step < STEPS || sim.volume().blocks().stream().noneMatch(b -> b.durableBytes() > CHUNK);
                step++) {
            workload.step(sim.volume());
        }
        sim.crash();
        soundIndex.putAll(sim.store().entries());
        for (StoredBlock stored : sim.volume().blocks()) {
            BlockId block = stored.block();
            byte[] key = BlockIndexFormat.recordKey(block);
            BlockRecord entry = BlockIndexFormat.decodeRecord(key, indexed(key));
            records.put(block, entry);
            blocks.put(block, SimVolume.readAll(sim.volume(), block));
            long end = entry.extent().offsetBytes() + bytesOnDevice(entry);
            for (long at = entry.extent().offsetBytes(); at < end; at += SECTOR) {
                dataSectors.add(at / SECTOR);
            }
        }
        for (long sector = 0; sector < (SuperblockFormat.DATA_OFFSET + DATA_BYTES) / SECTOR; sector++) {
            sound.put(sector, sim.disk().peek(sector));
        }
    }

    private BlockRecord record(BlockId block) {
        return Objects.requireNonNull(records.get(block));
    }

    private byte[] bytes(BlockId block) {
        return Objects.requireNonNull(blocks.get(block));
    }

    private byte[] indexed(byte[] key) {
        return Objects.requireNonNull(soundIndex.get(key));
    }

    private static long bytesOnDevice(BlockRecord entry) {
        return entry.lengthBytes() - entry.tail().length;
    }

    private void damage(Kind kind, String when) throws TatamiException {
        switch (kind) {
            case FLIPPED_BIT_OF_DATA -> flip(anyDataSector());
            case MISDIRECTED_WRITE_OF_DATA -> {
                long sector = anyDataSector();
                sim.disk().poke(random.nextBoolean() ? anyDataSector() : anySector(), sound(sector));
                sim.disk().poke(sector, sim.disk().peekBefore(sector));
            }
            case MISDIRECTED_READ_OF_DATA -> sim.disk().poke(anyDataSector(), sound(anySector()));
            case LOST_WRITE_OF_DATA -> {
                long sector = anyDataSector();
                sim.disk().poke(sector, sim.disk().peekBefore(sector));
            }
            case UNREADABLE_SECTOR_OF_DATA -> {
                unreadable(when);
                return;
            }
            case FLIPPED_BIT_OF_INDEX, SWAPPED_VALUES_OF_INDEX, LOST_WRITE_OF_INDEX -> {
                damageIndex(kind, when);
                return;
            }
            case FLIPPED_BIT_OF_SUPERBLOCK, MISDIRECTED_WRITE_OVER_SUPERBLOCK, BOTH_SUPERBLOCKS_OVERWRITTEN -> {
                damageSuperblock(kind, when);
                return;
            }
        }
        checkData(when);
        restoreDisk();
    }

    private void checkData(String when) throws TatamiException {
        TreeSet<String> wrong = new TreeSet<>();
        for (BlockId block : blocks.keySet()) {
            for (int chunk = 0; chunk < bytes(block).length; chunk += CHUNK) {
                if (isWrong(block, chunk)) {
                    wrong.add(block + " " + chunk);
                }
                checkChunk(block, chunk, when);
            }
        }
        boolean superblockIsSound = isSound(0) && isSound(SECOND_SUPERBLOCK);
        Scrubber.Progress scrubbed = scrub();
        assertEquals(wrong, new TreeSet<>(sim.damages()), when);
        assertEquals(wrong.size(), scrubbed.damagedChunks(), when);
        assertEquals(superblockIsSound, scrubbed.structureDamage().isEmpty(), when + ": " + scrubbed);
    }

    private void checkChunk(BlockId block, int chunk, String when) throws TatamiException {
        byte[] expected = Arrays.copyOfRange(bytes(block), chunk, Math.min(bytes(block).length, chunk + CHUNK));
        if (isWrong(block, chunk)) {
            TatamiException told = assertThrows(
                    TatamiException.class, () -> SimVolume.read(sim.volume(), block, chunk, expected.length), when);
            assertEquals(ErrorCode.CORRUPT, told.code(), when);
            assertEquals(new Detail.DamagedChunk(chunk), told.detail(), when);
        } else {
            assertArrayEquals(expected, SimVolume.read(sim.volume(), block, chunk, expected.length), when);
        }
    }

    /** Whether the device does not have what a chunk's bytes should be. */
    private boolean isWrong(BlockId block, int chunk) {
        BlockRecord entry = record(block);
        long end = Math.min(chunk + CHUNK, bytesOnDevice(entry));
        byte[] expected = bytes(block);
        for (long at = chunk; at < end; at += SECTOR) {
            byte[] found = sim.disk().peek((entry.extent().offsetBytes() + at) / SECTOR);
            int length = (int) Math.min(SECTOR, end - at);
            if (!Arrays.equals(found, 0, length, expected, (int) at, (int) at + length)) {
                return true;
            }
        }
        return false;
    }

    private void unreadable(String when) throws TatamiException {
        long sector = anyDataSector();
        sim.disk().setUnreadable(sector, true);
        int failures = 0;
        for (Map.Entry<BlockId, byte[]> block : blocks.entrySet()) {
            try {
                assertArrayEquals(block.getValue(), SimVolume.readAll(sim.volume(), block.getKey()), when);
            } catch (TatamiException e) {
                assertEquals(ErrorCode.IO_ERROR, e.code(), when);
                failures++;
            }
        }
        assertEquals(1, failures, when);
        assertEquals(1, scrub().damagedChunks(), when);
        sim.disk().setUnreadable(sector, false);
    }

    private void damageIndex(Kind kind, String when) throws TatamiException {
        NavigableMap<byte[], byte[]> entries = sim.store().entries();
        byte[] key = anyKey();
        byte[] other = anyKey();
        switch (kind) {
            case FLIPPED_BIT_OF_INDEX -> {
                byte[] value = indexed(key).clone();
                value[random.nextInt(value.length)] ^= (byte) (1 << random.nextInt(Byte.SIZE));
                entries.put(key, value);
            }
            case SWAPPED_VALUES_OF_INDEX -> {
                entries.put(key, indexed(other));
                entries.put(other, indexed(key));
            }
            default -> {
                byte[] before =
                        random.nextBoolean() ? sim.store().entriesBefore().get(key) : null;
                if (before == null) {
                    entries.remove(key);
                } else {
                    entries.put(key, before);
                }
            }
        }
        if (kind != Kind.LOST_WRITE_OF_INDEX || !isOfNoConsequence(key)) {
            Scrubber.Progress scrubbed = scrub();
            boolean isSilent =
                    scrubbed.damagedChunks() == 0 && scrubbed.structureDamage().isEmpty();
            assertEquals(sameIndex(), isSilent, when + ": " + scrubbed);
        }
        boolean isRecordOrIdentity = key[0] != 'c' || (kind == Kind.SWAPPED_VALUES_OF_INDEX && other[0] != 'c');
        boolean mustBeRefused = !sameIndex() && isRecordOrIdentity;
        assertEquals(!mustBeRefused, readWhatWasAcknowledged(when), when);
        entries.clear();
        entries.putAll(soundIndex);
        sim.crash();
    }

    /**
     * Checksums of chunks that the block had once, beyond those that it has: they are right, and nobody asks for more.
     */
    private boolean isOfNoConsequence(byte[] key) {
        byte[] now = sim.store().entries().get(key);
        int length = indexed(key).length - Integer.BYTES;
        return key[0] == 'c'
                && now != null
                && now.length - Integer.BYTES >= length
                && Arrays.equals(now, 0, length, indexed(key), 0, length);
    }

    private boolean sameIndex() {
        NavigableMap<byte[], byte[]> now = sim.store().entries();
        return now.size() == soundIndex.size()
                && soundIndex.entrySet().stream()
                        .allMatch(entry -> Arrays.equals(entry.getValue(), now.get(entry.getKey())));
    }

    /**
     * Opens the volume anew: what was acknowledged is there as it was, or there is an error, which tells what to do.
     *
     * @return false where the volume was refused
     */
    private boolean readWhatWasAcknowledged(String when) throws TatamiException {
        try {
            sim.crash();
        } catch (TatamiException e) {
            assertEquals(ErrorCode.CORRUPT, e.code(), when);
            assertTrue(String.valueOf(e.getMessage()).contains("format"), when + ": " + e);
            return false;
        }
        for (Map.Entry<BlockId, byte[]> block : blocks.entrySet()) {
            byte[] expected = block.getValue();
            try (BlockReader reader =
                    sim.volume().read(block.getKey(), record(block.getKey()).generation(), 0, expected.length)) {
                assertArrayEquals(expected, SimVolume.readAll(reader, expected.length), when);
            } catch (TatamiException e) {
                assertFalse(e.code() == ErrorCode.INTERNAL, when + ": " + e);
            }
        }
        return true;
    }

    private void damageSuperblock(Kind kind, String when) throws TatamiException {
        long first = random.nextBoolean() ? 0 : SECOND_SUPERBLOCK;
        switch (kind) {
            case FLIPPED_BIT_OF_SUPERBLOCK ->
                sim.disk().flipBit(first * SECTOR + random.nextInt(72), random.nextInt(8));
            case MISDIRECTED_WRITE_OVER_SUPERBLOCK -> sim.disk().poke(first, sound(anyDataSector()));
            default -> {
                sim.disk().poke(0, sound(anyDataSector()));
                sim.disk().flipBit(SECOND_SUPERBLOCK * SECTOR + random.nextInt(72), random.nextInt(8));
                TatamiException told = assertThrows(TatamiException.class, sim::crash, when);
                assertEquals(ErrorCode.CORRUPT, told.code(), when);
                assertTrue(String.valueOf(told.getMessage()).contains("'tatami format'"), when + ": " + told);
                restoreDisk();
                sim.crash();
                return;
            }
        }
        assertTrue(readWhatWasAcknowledged(when), when);
        assertFalse(scrub().structureDamage().isEmpty(), when);
        assertTrue(isSound(0) && isSound(SECOND_SUPERBLOCK), when + ": the copy is not written anew");
        assertTrue(scrub().structureDamage().isEmpty(), when);
    }

    private Scrubber.Progress scrub() throws TatamiException {
        sim.damages().clear();
        try (Scrubber scrubber = new Scrubber(sim.volume(), Clock.SYSTEM, Long.MAX_VALUE)) {
            return scrubber.scrub();
        }
    }

    private void flip(long sector) {
        sim.disk().flipBit(sector * SECTOR + random.nextInt(SECTOR), random.nextInt(Byte.SIZE));
    }

    private void restoreDisk() {
        for (Map.Entry<Long, byte[]> sector : sound.entrySet()) {
            if (!isSound(sector.getKey())) {
                sim.disk().poke(sector.getKey(), sector.getValue());
            }
        }
    }

    private boolean isSound(long sector) {
        return Arrays.equals(sound(sector), sim.disk().peek(sector));
    }

    private byte[] sound(long sector) {
        return sound.getOrDefault(sector, new byte[SECTOR]);
    }

    private long anyDataSector() {
        return dataSectors.get(random.nextInt(dataSectors.size()));
    }

    private long anySector() {
        return random.nextInt(sound.size());
    }

    private byte[] anyKey() {
        return List.copyOf(soundIndex.keySet()).get(random.nextInt(soundIndex.size()));
    }
}
