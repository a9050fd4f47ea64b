package io.tatami.block.volume;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ChunkChecksum;
import io.tatami.base.Detail;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.TatamiException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class VolumeTest {
    private static final long MIB = 1 << 20;
    private static final BlockId BLOCK = new BlockId(7);

    private final SimVolume sim;

    VolumeTest() throws TatamiException {
        sim = new SimVolume(64 * MIB, 1);
    }

    @AfterEach
    void closeVolume() throws TatamiException {
        sim.close();
    }

    @Test
    void finishedBlockIsReadBackAfterACrash() throws TatamiException {
        byte[] bytes = bytes(9_500_001);
        write(BLOCK, bytes, 1_000_000);

        Volume volume = sim.crash();

        assertArrayEquals(bytes, SimVolume.readAll(volume, BLOCK));
        assertTrue(volume.find(BLOCK).orElseThrow().finalized());
    }

    @Test
    void anyRangeIsReadWithTheChecksumsOfItsPieces() throws TatamiException {
        byte[] bytes = bytes(5_000_003);
        write(BLOCK, bytes, 64 << 10);
        Random random = new Random(5);
        for (int round = 0; round < 50; round++) {
            int offset = random.nextInt(bytes.length);
            int length = 1 + random.nextInt(bytes.length - offset);

            try (BlockReader reader = sim.volume().read(BLOCK, Generation.FIRST, offset, length)) {
                int at = offset;
                for (ReadUnit unit = reader.next(); unit != null; unit = reader.next()) {
                    byte[] got = new byte[unit.data().remaining()];
                    unit.data().duplicate().get(got);
                    assertEquals(at, unit.offsetBytes());
                    assertArrayEquals(Arrays.copyOfRange(bytes, at, at + got.length), got);
                    assertArrayEquals(ChunkChecksum.ofPieces(at, ByteBuffer.wrap(got)), unit.pieceChecksums());
                    at += got.length;
                    unit.close();
                }
                assertEquals(offset + length, at);
            }
        }
    }

    @Test
    void blocksOfAPageAreThoseBetweenItsEndsByRisingId() throws TatamiException {
        for (long id : new long[] {40, 7, 100, 12, 3}) {
            write(new BlockId(id), bytes(10), 10);
        }

        assertEquals(List.of(3L, 7L, 12L, 40L, 100L), ids(sim.volume().blocks()));
        assertEquals(List.of(7L, 12L), ids(sim.volume().blocks(new BlockId(3), new BlockId(12), 9)));
        assertEquals(List.of(7L), ids(sim.volume().blocks(new BlockId(3), new BlockId(12), 1)));
        assertEquals(List.of(100L), ids(sim.volume().blocks(new BlockId(40), new BlockId(Long.MAX_VALUE), 9)));
        assertEquals(List.of(), ids(sim.volume().blocks(new BlockId(12), new BlockId(12), 9)));
        assertEquals(List.of(), ids(sim.volume().blocks(new BlockId(12), new BlockId(3), 9)));
        assertEquals(
                List.of(3L, 7L, 12L, 40L, 100L),
                ids(sim.crash().blocks(new BlockId(0), new BlockId(200), 9)),
                "after the volume was opened again");
    }

    private static List<Long> ids(List<StoredBlock> blocks) {
        return blocks.stream().map(stored -> stored.block().value()).toList();
    }

    @Test
    void aBlockThatFoundNoRoomOnItsDeviceIsEndedOnceThereIsRoom() throws TatamiException {
        byte[] bytes = bytes(5_000_001);
        BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, 16 * MIB, false);
        append(writer, Arrays.copyOf(bytes, 4_200_000), 100_000);
        writer.sync();
        sim.disk().setFull(true);
        writer.append(ByteBuffer.wrap(bytes, 4_200_000, bytes.length - 4_200_000), null);
        writer.makeVisible(bytes.length);
        assertFails(ErrorCode.NO_SPACE, writer::sync);
        writer.close();
        assertFails(ErrorCode.NO_SPACE, () -> sim.volume().truncate(BLOCK, Generation.of(2), bytes.length));
        assertArrayEquals(bytes, SimVolume.readAll(sim.volume(), BLOCK), "readable from memory");

        sim.disk().setFull(false);
        sim.volume().truncate(BLOCK, Generation.of(2), bytes.length);

        assertTrue(sim.volume().find(BLOCK).orElseThrow().finalized());
        assertArrayEquals(bytes, SimVolume.readAll(sim.crash(), BLOCK));
    }

    @Test
    void aBlockThatFoundNoRoomOnItsDeviceIsDeleted() throws TatamiException {
        BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, 16 * MIB, false);
        sim.disk().setFull(true);
        append(writer, bytes(3_000_000), 3_000_000);
        assertFails(ErrorCode.NO_SPACE, writer::sync);
        writer.close();

        sim.volume().delete(BLOCK, Generation.MAX);

        assertEquals(0, sim.volume().statistics().usedBytes());
    }

    @Test
    void anIndexThatFoundNoRoomStopsWritesAndLeavesCommittedBlocksReadable() throws TatamiException {
        byte[] bytes = bytes(5_000_001);
        write(BLOCK, bytes, 100_000);
        BlockWriter writer = sim.volume().create(new BlockId(8), Generation.FIRST, 16 * MIB, false);
        append(writer, bytes(100), 100);
        sim.store().setFull(true);
        assertFails(ErrorCode.IO_ERROR, writer::sync);
        sim.store().setFull(false);

        assertArrayEquals(bytes, SimVolume.readAll(sim.volume(), BLOCK));
        assertEquals(77, sim.volume().checksums(BLOCK, Generation.FIRST, 0, bytes.length).length);
        assertFails(ErrorCode.IO_ERROR, () -> sim.volume().create(new BlockId(9), Generation.FIRST, MIB, false));
        assertFails(ErrorCode.IO_ERROR, writer::sync);
        assertFails(ErrorCode.IO_ERROR, () -> sim.volume().delete(BLOCK, Generation.MAX));
        assertTrue(sim.volume().statistics().failure().contains("full"));

        Volume again = sim.crash();
        assertArrayEquals(bytes, SimVolume.readAll(again, BLOCK));
        again.delete(BLOCK, Generation.MAX);
    }

    @Test
    void unusedRoomIsFreeOnceTheBlockIsFinished() throws TatamiException {
        write(BLOCK, bytes(5000), 5000);

        assertEquals(8192, sim.volume().statistics().usedBytes());
    }

    @Test
    void visibleBytesAreReadWhileTheyAreOnlyInMemory() throws TatamiException {
        byte[] bytes = bytes(4_300_000);
        try (BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, 16 * MIB, false)) {
            append(writer, bytes, 100_000);
            writer.makeVisible(4_250_001);

            assertArrayEquals(Arrays.copyOf(bytes, 4_250_001), SimVolume.readAll(sim.volume(), BLOCK));
            assertFails(ErrorCode.INVALID_ARGUMENT, () -> sim.volume().read(BLOCK, Generation.FIRST, 0, 4_250_002));
        }
    }

    @Test
    void aBlockNeverSyncedIsGoneAfterACrash() throws TatamiException {
        append(sim.volume().create(BLOCK, Generation.FIRST, MIB, false), bytes(500_000), 100_000);

        Volume volume = sim.crash();

        assertTrue(volume.find(BLOCK).isEmpty());
        assertEquals(0, volume.statistics().usedBytes());
    }

    @Test
    void syncAtAnOddLengthSurvivesACrashAndGoesOn() throws TatamiException {
        byte[] bytes = bytes(200_000);
        BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, MIB, false);
        append(writer, Arrays.copyOf(bytes, 70_001), 1000);
        assertEquals(70_001, writer.sync());
        writer.append(ByteBuffer.wrap(bytes, 70_001, 50_000), null);

        Volume volume = sim.crash();

        assertArrayEquals(Arrays.copyOf(bytes, 70_001), SimVolume.readAll(volume, BLOCK));
        BlockWriter again = volume.reopen(BLOCK, Generation.of(2), 70_001, MIB);
        again.append(ByteBuffer.wrap(bytes, 70_001, bytes.length - 70_001), null);
        again.finish();
        assertArrayEquals(bytes, SimVolume.readAll(sim.crash(), BLOCK));
    }

    @Test
    void bytesThatDoNotMatchTheirChecksumsAreRefusedAndLeaveTheWriterUsable() throws TatamiException {
        byte[] bytes = bytes(100_000);
        BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, MIB, false);
        int[] checksums = ChunkChecksum.ofPieces(0, ByteBuffer.wrap(bytes));
        checksums[1]++;

        assertFails(ErrorCode.CORRUPT, () -> writer.append(ByteBuffer.wrap(bytes), checksums));
        checksums[1]--;
        writer.append(ByteBuffer.wrap(bytes), checksums);
        writer.finish();

        assertArrayEquals(bytes, SimVolume.readAll(sim.volume(), BLOCK));
    }

    @Test
    void aTakenOverWriterIsFencedAndItsBytesAreKept() throws TatamiException {
        byte[] bytes = bytes(300_000);
        BlockWriter old = sim.volume().create(BLOCK, Generation.FIRST, MIB, false);
        append(old, bytes, 70_000);

        BlockWriter next = sim.volume().reopen(BLOCK, Generation.of(2), 250_000, MIB);

        assertFails(ErrorCode.FENCED, () -> old.append(ByteBuffer.wrap(bytes), null));
        assertFails(ErrorCode.FENCED, old::finish);
        next.append(ByteBuffer.wrap(bytes, 250_000, 50_000), null);
        next.finish();
        assertArrayEquals(bytes, SimVolume.readAll(sim.crash(), BLOCK));
    }

    @Test
    void generationsNeverGoBackwards() throws TatamiException {
        write(BLOCK, bytes(10), 10);
        sim.volume().setGeneration(BLOCK, Generation.of(9));

        Volume volume = sim.crash();

        assertEquals(Generation.of(9), volume.find(BLOCK).orElseThrow().generation());
        assertFails(ErrorCode.FENCED, () -> volume.setGeneration(BLOCK, Generation.of(8)));
        assertFails(ErrorCode.FENCED, () -> volume.reopen(BLOCK, Generation.of(8), 0, 1));
        assertFails(ErrorCode.FENCED, () -> volume.delete(BLOCK, Generation.of(8)));
        assertFails(ErrorCode.NO_SUCH_BLOCK, () -> volume.read(BLOCK, Generation.of(10), 0, 1));
    }

    @Test
    void aNewGenerationFencesTheWriterOfABlockThatWasNeverSynced() throws TatamiException {
        BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, MIB, false);
        writer.append(ByteBuffer.allocate(10), null);

        sim.volume().setGeneration(BLOCK, Generation.of(2));

        assertFails(ErrorCode.FENCED, writer::sync);
        assertEquals(Generation.of(2), sim.crash().find(BLOCK).orElseThrow().generation());
    }

    @Test
    void truncateToAnyLengthKeepsThePrefixAndFreesTheRest() throws TatamiException {
        byte[] bytes = bytes(700_000);
        int[] lengths = {0, 1, 4095, 4096, 65_536, 65_537, 69_632, 131_072, 699_999, 700_000};
        for (int i = 0; i < lengths.length; i++) {
            BlockId block = new BlockId(100 + i);
            write(block, bytes, 64 << 10);
            sim.volume().truncate(block, Generation.of(2), lengths[i]);
        }

        Volume volume = sim.crash();

        long used = 0;
        for (int i = 0; i < lengths.length; i++) {
            assertArrayEquals(Arrays.copyOf(bytes, lengths[i]), SimVolume.readAll(volume, new BlockId(100 + i)));
            used += (lengths[i] + 4095) / 4096 * 4096;
        }
        assertEquals(used, volume.statistics().usedBytes());
    }

    @Test
    void appendToAFinishedBlockMovesItWhereItsExtentCannotGrow() throws TatamiException {
        byte[] bytes = bytes(5_000_000);
        write(BLOCK, Arrays.copyOf(bytes, 4_400_001), 1 << 20);
        write(new BlockId(8), bytes(10), 10);

        BlockWriter writer = sim.volume().reopen(BLOCK, Generation.of(2), 4_400_001, 8 * MIB);
        assertEquals(8 * MIB, writer.capacityBytes());
        writer.append(ByteBuffer.wrap(bytes, 4_400_001, bytes.length - 4_400_001), null);
        writer.finish();

        Volume volume = sim.crash();
        assertArrayEquals(bytes, SimVolume.readAll(volume, BLOCK));
        assertEquals(5_001_216 + 4096, volume.statistics().usedBytes());
    }

    @Test
    void aReaderOfADeletedBlockIsToldSoAndNeverSeesItsSuccessor() throws TatamiException {
        write(BLOCK, bytes(9_000_000), 1 << 20);
        try (BlockReader reader = sim.volume().read(BLOCK, Generation.FIRST, 0, 9_000_000)) {
            sim.volume().delete(BLOCK, Generation.MAX);
            write(new BlockId(8), bytes(9_000_000), 1 << 20);

            assertFails(ErrorCode.NO_SUCH_BLOCK, reader::next);
        }
        assertFails(ErrorCode.NO_SUCH_BLOCK, () -> sim.volume().read(BLOCK, Generation.FIRST, 0, 1));
    }

    @Test
    void aReaderOfACutBlockIsToldToReadAgain() throws TatamiException {
        write(BLOCK, bytes(9_000_000), 1 << 20);
        try (BlockReader reader = sim.volume().read(BLOCK, Generation.FIRST, 0, 9_000_000)) {
            sim.volume().truncate(BLOCK, Generation.of(2), 5);

            assertFails(ErrorCode.BUSY, reader::next);
        }
    }

    @Test
    void abortLeavesWhatWasSyncedOrNothing() throws TatamiException {
        BlockWriter never = sim.volume().create(BLOCK, Generation.FIRST, MIB, false);
        never.append(ByteBuffer.allocate(100_000), null);
        never.abort();
        assertTrue(sim.volume().find(BLOCK).isEmpty());
        assertEquals(0, sim.volume().statistics().usedBytes());

        byte[] bytes = bytes(9000);
        BlockWriter synced = sim.volume().create(BLOCK, Generation.FIRST, MIB, false);
        synced.append(ByteBuffer.wrap(bytes, 0, 5001), null);
        synced.sync();
        synced.append(ByteBuffer.wrap(bytes, 5001, 3999), null);
        synced.abort();

        assertArrayEquals(Arrays.copyOf(bytes, 5001), SimVolume.readAll(sim.volume(), BLOCK));
        assertFalse(sim.volume().find(BLOCK).orElseThrow().finalized());
    }

    @Test
    void aWriterThatIsClosedLeavesItsBytesReadableForItsSuccessor() throws TatamiException {
        byte[] bytes = bytes(123_457);
        BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, MIB, false);
        append(writer, bytes, 10_000);
        writer.makeVisible(bytes.length);
        writer.close();

        assertArrayEquals(bytes, SimVolume.readAll(sim.volume(), BLOCK));
        sim.volume().reopen(BLOCK, Generation.FIRST, bytes.length, MIB).finish();
        assertArrayEquals(bytes, SimVolume.readAll(sim.crash(), BLOCK));
    }

    @Test
    void aFullVolumeSaysSoAndDeletingMakesRoomAtOnce() throws TatamiException {
        write(new BlockId(1), bytes((int) (40 * MIB)), 1 << 20);
        BlockWriter shorter = sim.volume().create(new BlockId(2), Generation.FIRST, 256 * MIB, false);
        assertEquals(24 * MIB, shorter.capacityBytes());
        assertFails(ErrorCode.NO_SPACE, () -> sim.volume().create(new BlockId(3), Generation.FIRST, 1, false));
        append(shorter, bytes((int) (24 * MIB)), 1 << 20);
        TatamiException full = assertThrows(TatamiException.class, () -> shorter.append(ByteBuffer.allocate(1), null));
        assertEquals(ErrorCode.NO_SPACE, full.code());
        assertEquals(new Detail.RoomLeft(24 * MIB), full.detail());
        shorter.finish();
        assertEquals(0, sim.volume().statistics().freeBytes());

        sim.volume().delete(new BlockId(1), Generation.MAX);

        assertEquals(40 * MIB, sim.volume().statistics().freeBytes());
        byte[] bytes = bytes((int) (40 * MIB));
        write(new BlockId(4), bytes, 1 << 20);
        assertArrayEquals(bytes, SimVolume.readAll(sim.crash(), new BlockId(4)));
    }

    @Test
    void shortBlocksAreKeptAwayFromLongOnes() throws TatamiException {
        BlockWriter low = sim.volume().create(new BlockId(1), Generation.FIRST, MIB, false);
        BlockWriter high = sim.volume().create(new BlockId(2), Generation.FIRST, 5000, true);
        BlockWriter next = sim.volume().create(new BlockId(3), Generation.FIRST, 63 * MIB - 8192, false);

        assertEquals(MIB, low.capacityBytes());
        assertEquals(8192, high.capacityBytes());
        assertEquals(63 * MIB - 8192, next.capacityBytes());
    }

    @Test
    void newBlocksAreRefusedWhileTheIndexHasNoRoomAndDeleteStillWorks() throws TatamiException {
        write(BLOCK, bytes(10), 10);
        sim.store().setUsableBytes(MIB);

        assertFails(ErrorCode.NO_SPACE, () -> sim.volume().create(new BlockId(8), Generation.FIRST, 1, false));
        sim.volume().delete(BLOCK, Generation.MAX);

        assertTrue(sim.crash().find(BLOCK).isEmpty());
    }

    @Test
    void theSameBlockCannotBeCreatedTwice() throws TatamiException {
        sim.volume().create(BLOCK, Generation.FIRST, 1, false).close();

        assertFails(ErrorCode.ALREADY_EXISTS, () -> sim.volume().create(BLOCK, Generation.FIRST, 1, false));
        assertEquals(4096, sim.volume().statistics().usedBytes());
    }

    @Test
    void theStoredChecksumsAreThoseOfTheChunks() throws TatamiException {
        byte[] bytes = bytes(300_000);
        write(BLOCK, bytes, 7777);
        int[] all = ChunkChecksum.ofPieces(0, ByteBuffer.wrap(bytes));

        assertArrayEquals(all, sim.volume().checksums(BLOCK, Generation.FIRST, 0, 300_000));
        assertArrayEquals(
                Arrays.copyOfRange(all, 2, 5),
                sim.crash().checksums(BLOCK, Generation.FIRST, 131_072, 300_000 - 131_072));
    }

    @Test
    void aClosedVolumeServesNothing() throws TatamiException {
        write(BLOCK, bytes(10), 10);
        Volume volume = sim.volume();
        volume.close();
        volume.close();

        assertFails(ErrorCode.UNAVAILABLE, () -> volume.read(BLOCK, Generation.FIRST, 0, 10));
        assertFails(ErrorCode.UNAVAILABLE, () -> volume.create(new BlockId(9), Generation.FIRST, 1, false));
    }

    private void write(BlockId block, byte[] bytes, int frame) throws TatamiException {
        BlockWriter writer = sim.volume().create(block, Generation.FIRST, Math.max(1, bytes.length), false);
        append(writer, bytes, frame);
        assertEquals(bytes.length, writer.finish());
    }

    private static void append(BlockWriter writer, byte[] bytes, int frame) throws TatamiException {
        for (int at = 0; at < bytes.length; at += frame) {
            ByteBuffer data = ByteBuffer.wrap(bytes, at, Math.min(frame, bytes.length - at));
            writer.append(data, ChunkChecksum.ofPieces(at, data));
            assertFalse(data.hasRemaining());
        }
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static void assertFails(ErrorCode code, Executable call) {
        assertEquals(code, assertThrows(TatamiException.class, call).code());
    }
}
