package io.tatami.block.service.write;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessTimes;
import io.tatami.block.device.VolumeFile;
import io.tatami.block.service.BlockRig;
import io.tatami.block.service.context.BlockServerSettings;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.service.volumes.VolumeStreams;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.HangingVolume;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeOpener;
import io.tatami.block.volume.VolumeResources;
import io.tatami.block.volume.format.VolumeFormatter;
import io.tatami.files.CrashPoint;
import io.tatami.protocol.wire.WriteBlockRequest;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a server of two volumes puts a new block. */
final class WriterOpenerTest {
    private static final long MIB = 1 << 20;

    private static final int STREAMS_MAX = 16;

    private Volume broken;
    private Volume small;
    private final Tombstones tombstones = new Tombstones();
    private WriterOpener opener;
    private VolumeStreams streams;
    private int blocks;

    /** One volume with much room in holes of 8 MiB, and one with less, in one run. */
    @BeforeEach
    void open(@TempDir Path directory) throws Exception {
        broken = volume(directory, "broken", 104 * MIB);
        small = volume(directory, "small", 36 * MIB);
        serve(new VolumeSet.ServedVolume(broken, "broken"), new VolumeSet.ServedVolume(small, "small"));
        for (int i = 0; i < 12; i++) {
            take(broken, 8 * MIB);
        }
        take(broken, broken.statistics().freeBytes());
        for (int i = 1; i <= 12; i += 2) {
            broken.delete(BlockRig.block(i), Generation.MAX);
        }
    }

    @AfterEach
    void close() throws Exception {
        broken.close();
        small.close();
    }

    @Test
    void aVolumeWithAWholeRunIsPreferredToOneWithMoreRoomInPieces() throws Exception {
        BlockWriter writer = open(16 * MIB, 4 * MIB);

        assertEquals(16 * MIB, writer.capacityBytes());
        assertTrue(small.find(writer.block()).isPresent());
    }

    @Test
    void whereNoVolumeHasAWholeRunTheLongestIsGiven() throws Exception {
        take(small, small.statistics().freeBytes() - 5 * MIB);

        for (int i = 0; i < 6; i++) {
            assertEquals(8 * MIB, reservedByTheOnlyWriter());
        }
        assertEquals(5 * MIB, reservedByTheOnlyWriter());
        refuses(request(16 * MIB, 4 * MIB));
    }

    /** The block keeps its room, and counts as one that is written no more. */
    private long reservedByTheOnlyWriter() throws TatamiException {
        WriterOpener.Opened opened = opener.open(request(16 * MIB, 4 * MIB));
        opened.stream().close();
        return opened.writer().capacityBytes();
    }

    @Test
    void writersThatAreOpenTogetherReserveEqualPartsOfRoomThatIsShort() throws Exception {
        serve(new VolumeSet.ServedVolume(small, "small"));
        long free = small.statistics().freeBytes();

        assertEquals(16 * MIB, open(16 * MIB, 4 * MIB).capacityBytes());
        long left = free - 16 * MIB;
        assertEquals(left / 2 / 4_096, open(16 * MIB, 4 * MIB).capacityBytes() / 4_096, 1, "half of what is left");
        assertEquals(6 * MIB, open(16 * MIB, 6 * MIB).capacityBytes(), "what is needed");
        refuses(request(16 * MIB, 12 * MIB));
    }

    @Test
    void aWriterThatFillsItsBlocksReservesMoreThanOneThatOnlyHasAFileOpen(@TempDir Path directory) throws Exception {
        Volume large = volume(directory, "large", 600 * MIB);
        try {
            serve(new VolumeSet.ServedVolume(large, "large"));
            for (int i = 0; i < STREAMS_MAX - 1; i++) {
                open(4 * MIB, 4 * MIB);
            }
            long free = large.statistics().freeBytes();
            long equal = free / STREAMS_MAX;
            assertEquals(equal / MIB, streamed(equal - 20 * MIB) / MIB, "as much as each other writer");
            assertEquals(equal + 5 * MIB, streamed(equal + 5 * MIB), "as much again as it has written");
            assertEquals(free / 8 / MIB, streamed(Long.MAX_VALUE) / MIB, "an eighth of the free room");
        } finally {
            large.close();
        }
    }

    /** What a writer reserves that has written so many bytes; it gives it up at once. */
    private long streamed(long precedingBytes) throws TatamiException {
        WriterOpener.Opened opened = opener.open(request(256 * MIB, 4 * MIB).toBuilder()
                .setPrecedingBytes(precedingBytes)
                .build());
        long reserved = opened.writer().capacityBytes();
        opened.writer().abort();
        opened.stream().close();
        return reserved;
    }

    @Test
    void runsShorterThanIsNeededAreNotGiven() throws Exception {
        take(small, small.statistics().freeBytes());

        refuses(request(16 * MIB, 9 * MIB));
        assertEquals(8 * MIB, open(8 * MIB, 8 * MIB).capacityBytes());
    }

    @Test
    void aVolumeThatHangsGetsNewBlocksOnlyWhereNoOtherHasRoom() throws Exception {
        ManualClock clock = new ManualClock();
        try (HangingVolume hanging = new HangingVolume(200 * MIB, VolumeResources.withBuffers(4, 4), clock)) {
            List<VolumeSet.ServedVolume> served = List.of(
                    new VolumeSet.ServedVolume(hanging.volume(), "hanging"),
                    new VolumeSet.ServedVolume(small, "small"));
            VolumeSet both = new VolumeSet(served);
            serve(served.toArray(VolumeSet.ServedVolume[]::new));
            BlockWriter first = open(16 * MIB, 4 * MIB);
            assertTrue(hanging.volume().find(first.block()).isPresent());
            long freeBytes = hanging.volume().statistics().freeBytes();
            hanging.device().hang();
            first.append(ByteBuffer.allocate((int) (5 * MIB)), null);
            hanging.device().awaitHanging();
            assertEquals(freeBytes + small.statistics().freeBytes(), both.room().freeBytes());

            clock.advance(Duration.ofNanos(AccessTimes.HANG_NANOS));

            assertEquals(small.statistics().freeBytes(), both.room().freeBytes());
            BlockWriter second = open(16 * MIB, 4 * MIB);
            assertTrue(small.find(second.block()).isPresent());
            take(small, small.statistics().freeBytes());
            BlockWriter third = open(16 * MIB, 4 * MIB);
            assertTrue(hanging.volume().find(third.block()).isPresent());

            hanging.device().goOn();
            first.finish();
            assertEquals(hanging.volume().statistics().freeBytes(), both.room().freeBytes());
        }
    }

    @Test
    void writersThatBeginTogetherAreSpreadOverTheVolumes() throws Exception {
        try (SimVolume first = new SimVolume(64 * MIB, 1);
                SimVolume second = new SimVolume(60 * MIB, 2)) {
            serve(
                    new VolumeSet.ServedVolume(first.volume(), "first"),
                    new VolumeSet.ServedVolume(second.volume(), "second"));
            List<WriterOpener.Opened> opened = new ArrayList<>();
            for (int writer = 0; writer < 4; writer++) {
                opened.add(opener.open(request(8 * MIB, 8 * MIB)));
            }

            assertEquals(2, first.volume().blocks().size());
            assertEquals(2, second.volume().blocks().size());

            // Whoever has ended makes room for the next.
            for (WriterOpener.Opened ended : List.of(opened.get(1), opened.get(3))) {
                assertTrue(second.volume().find(ended.writer().block()).isPresent());
                ended.stream().close();
                ended.stream().close();
            }
            open(8 * MIB, 8 * MIB);
            open(8 * MIB, 8 * MIB);
            assertEquals(4, second.volume().blocks().size());
        }
    }

    @Test
    void whatCouldNotBeOpenedIsNotCounted() throws Exception {
        take(small, small.statistics().freeBytes());
        for (int failed = 0; failed < 3; failed++) {
            refuses(request(16 * MIB, 9 * MIB));
        }
        BlockWriter writer = open(8 * MIB, 8 * MIB);
        writer.append(ByteBuffer.allocate(10), null);
        writer.finish();
        WriteBlockRequest tooShort = request(16 * MIB, 4 * MIB).toBuilder()
                .setBlockId(writer.block().value())
                .setGeneration(2)
                .setPreviousGeneration(1)
                .setStartOffset(11)
                .build();
        TatamiException refused = assertThrows(TatamiException.class, () -> opener.open(tooShort));

        assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
        assertEquals(1, streams.count(broken));
        assertEquals(0, streams.count(small));
    }

    @Test
    void aVolumeWithAsManyWritersAsItMayHaveIsPassedOverAndARefusalNamesOne() throws Exception {
        for (int writer = 0; writer < STREAMS_MAX; writer++) {
            open(MIB, MIB);
            open(MIB, MIB);
        }

        TatamiException refused = assertThrows(TatamiException.class, () -> opener.open(request(MIB, MIB)));

        assertEquals(ErrorCode.BUSY, refused.code());
        String message = String.valueOf(refused.getMessage());
        assertTrue(message.contains("volume broken") || message.contains("volume small"), message);
        assertTrue(message.contains("tatami.block.write.streams.max"), message);
        assertEquals(1, refused.getSuppressed().length);
    }

    @Test
    void aBlockThatADeletionLookedForBeforeItWasBegunIsTakenBack() throws Exception {
        serve(new VolumeSet.ServedVolume(small, "small"));
        long freeBytes = small.statistics().freeBytes();
        WriteBlockRequest request = request(MIB, MIB);
        BlockId block = new BlockId(request.getBlockId());
        CrashPoint.listen(name -> {
            if (name.equals("service.write.after-create")) {
                tombstones.addDeleted(block, 0, Generation.of(request.getGeneration()));
            }
        });
        try {
            TatamiException refused = assertThrows(TatamiException.class, () -> opener.open(request));
            assertEquals(ErrorCode.FENCED, refused.code());
        } finally {
            CrashPoint.listen(null);
        }
        assertTrue(small.find(block).isEmpty());
        assertEquals(freeBytes, small.statistics().freeBytes());
        assertEquals(0, streams.count(small));
    }

    private void serve(VolumeSet.ServedVolume... served) {
        List<VolumeSet.ServedVolume> volumes = List.of(served);
        streams = new VolumeStreams("write", BlockServerSettings.WRITE_STREAMS.key(), STREAMS_MAX, volumes);
        opener = new WriterOpener(new VolumeSet(volumes), streams, tombstones);
    }

    private BlockWriter open(long wanted, long needed) throws TatamiException {
        return opener.open(request(wanted, needed)).writer();
    }

    @Test
    void aVolumeWhoseFlushHangsGetsNewBlocksOnlyWhereNoOtherHasRoom() throws Exception {
        ManualClock clock = new ManualClock();
        try (HangingVolume hanging = new HangingVolume(200 * MIB, VolumeResources.withBuffers(4, 4), clock)) {
            serve(new VolumeSet.ServedVolume(hanging.volume(), "hanging"), new VolumeSet.ServedVolume(small, "small"));
            WriterOpener.Opened first = opener.open(request(16 * MIB, 4 * MIB));
            first.writer().append(ByteBuffer.allocate(8 << 10), null);
            hanging.device().hangAtFlush();
            Thread finisher = new Thread(() -> assertDoesNotThrow(first.writer()::finish));
            finisher.start();
            hanging.device().awaitHanging();
            first.stream().close();

            clock.advance(Duration.ofNanos(AccessTimes.FLUSH_HANG_NANOS));

            assertTrue(small.find(open(MIB, MIB).block()).isPresent());
            hanging.device().goOn();
            finisher.join();
            assertFalse(hanging.volume().accessTimes().isHanging());
        }
    }

    private void refuses(WriteBlockRequest request) {
        TatamiException refused = assertThrows(TatamiException.class, () -> opener.open(request));
        assertEquals(ErrorCode.NO_SPACE, refused.code());
    }

    private void take(Volume volume, long bytes) throws TatamiException {
        if (bytes > 0) {
            assertEquals(
                    bytes, volume.create(next(), Generation.FIRST, bytes, false).capacityBytes());
        }
    }

    private WriteBlockRequest request(long wanted, long needed) {
        return WriteBlockRequest.newBuilder()
                .setBlockId(next().value())
                .setGeneration(1)
                .setReserveBytes(wanted)
                .setNeededBytes(needed)
                .build();
    }

    private BlockId next() {
        return BlockRig.block(++blocks);
    }

    private static Volume volume(Path directory, String name, long bytes) throws Exception {
        Path file = directory.resolve(name);
        Path index = directory.resolve(name + "-index");
        VolumeFile.Allocation unused = VolumeFile.create(file, bytes);
        UUID formatted = new VolumeFormatter(BlockRig.CLUSTER, new SplittableRandom(bytes)).format(file, index, false);
        Volume opened = new VolumeOpener(BlockRig.CLUSTER, VolumeResources.withBuffers(4, 4)).open(file, index);
        assertEquals(formatted, opened.id());
        return opened;
    }
}
