package io.tatami.block.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.block.device.VolumeFile;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.HangingVolume;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeFormatter;
import io.tatami.block.volume.VolumeOpener;
import io.tatami.block.volume.VolumeResources;
import io.tatami.protocol.wire.WriteBlockRequest;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a server of two volumes puts a new block. */
final class VolumeChoiceTest {
    private static final long MIB = 1 << 20;

    private Volume broken;
    private Volume small;
    private VolumeSet volumes;
    private int blocks;

    /** One volume with much room in holes of 8 MiB, and one with less, in one run. */
    @BeforeEach
    void open(@TempDir Path directory) throws Exception {
        broken = volume(directory, "broken", 104 * MIB);
        small = volume(directory, "small", 36 * MIB);
        volumes = new VolumeSet(
                List.of(new VolumeSet.ServedVolume(broken, "broken"), new VolumeSet.ServedVolume(small, "small")));
        for (int i = 0; i < 12; i++) {
            take(broken, 8 * MIB);
        }
        take(broken, broken.statistics().freeBytes());
        for (int i = 1; i <= 12; i += 2) {
            broken.delete(BlockRig.block(i), Long.MAX_VALUE);
        }
    }

    @AfterEach
    void close() throws Exception {
        broken.close();
        small.close();
    }

    @Test
    void aVolumeWithAWholeRunIsPreferredToOneWithMoreRoomInPieces() throws Exception {
        BlockWriter writer = volumes.openWriter(request(16 * MIB, 4 * MIB));

        assertEquals(16 * MIB, writer.capacityBytes());
        assertTrue(small.find(writer.block()).isPresent());
    }

    @Test
    void whereNoVolumeHasAWholeRunTheLongestIsGiven() throws Exception {
        take(small, small.statistics().freeBytes() - 5 * MIB);

        BlockWriter first = volumes.openWriter(request(16 * MIB, 4 * MIB));

        assertEquals(8 * MIB, first.capacityBytes());
        for (int i = 0; i < 5; i++) {
            assertEquals(8 * MIB, volumes.openWriter(request(16 * MIB, 4 * MIB)).capacityBytes());
        }
        assertEquals(5 * MIB, volumes.openWriter(request(16 * MIB, 4 * MIB)).capacityBytes());
        refuses(request(16 * MIB, 4 * MIB));
    }

    @Test
    void runsShorterThanIsNeededAreNotGiven() throws Exception {
        take(small, small.statistics().freeBytes());

        refuses(request(16 * MIB, 9 * MIB));
        assertEquals(8 * MIB, volumes.openWriter(request(8 * MIB, 8 * MIB)).capacityBytes());
    }

    @Test
    void aVolumeThatHangsGetsNewBlocksOnlyWhereNoOtherHasRoom() throws Exception {
        ManualClock clock = new ManualClock();
        try (HangingVolume hanging = new HangingVolume(200 * MIB, VolumeResources.withBuffers(4, 4), clock)) {
            VolumeSet both = new VolumeSet(List.of(
                    new VolumeSet.ServedVolume(hanging.volume(), "hanging"),
                    new VolumeSet.ServedVolume(small, "small")));
            BlockWriter first = both.openWriter(request(16 * MIB, 4 * MIB));
            assertTrue(hanging.volume().find(first.block()).isPresent());
            long freeBytes = hanging.volume().statistics().freeBytes();
            hanging.device().hang();
            first.append(ByteBuffer.allocate((int) (5 * MIB)), null);
            hanging.device().awaitHanging();
            assertEquals(freeBytes + small.statistics().freeBytes(), both.room().freeBytes());

            clock.advance(Duration.ofNanos(VolumeSet.HANG_NANOS));

            assertEquals(small.statistics().freeBytes(), both.room().freeBytes());
            BlockWriter second = both.openWriter(request(16 * MIB, 4 * MIB));
            assertTrue(small.find(second.block()).isPresent());
            take(small, small.statistics().freeBytes());
            BlockWriter third = both.openWriter(request(16 * MIB, 4 * MIB));
            assertTrue(hanging.volume().find(third.block()).isPresent());

            hanging.device().goOn();
            first.finish();
            assertEquals(hanging.volume().statistics().freeBytes(), both.room().freeBytes());
        }
    }

    private void refuses(WriteBlockRequest request) {
        TatamiException refused = assertThrows(TatamiException.class, () -> volumes.openWriter(request));
        assertEquals(ErrorCode.NO_SPACE, refused.code());
    }

    private void take(Volume volume, long bytes) throws TatamiException {
        if (bytes > 0) {
            assertEquals(bytes, volume.create(next(), 1, bytes, false).capacityBytes());
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
