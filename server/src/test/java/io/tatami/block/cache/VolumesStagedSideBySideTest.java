package io.tatami.block.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessTimes;
import io.tatami.block.device.Device;
import io.tatami.block.device.IoThreads;
import io.tatami.block.device.MemoryDevice;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.HangingVolume;
import io.tatami.block.volume.ReadUnit;
import io.tatami.block.volume.Volume;
import io.tatami.block.volume.VolumeResources;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server's two volumes, each staged from by itself. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VolumesStagedSideBySideTest {
    private static final int UNIT = Device.UNIT_BYTES;
    private static final int SLOTS = 8;
    private static final int BLOCK_UNITS = 8;
    private static final BlockId[] BLOCKS_OF_FIRST = {new BlockId(1), new BlockId(2)};
    private static final BlockId[] BLOCKS_OF_SECOND = {new BlockId(11), new BlockId(12)};
    private static final PlanId PLAN = new PlanId(new UUID(0, 1));
    private static final PlanId OTHER = new PlanId(new UUID(0, 2));
    private static final PlanSettings RELEASE =
            new PlanSettings(true, 0, Duration.ofHours(1).toNanos(), new PlanOrigin("ann", "/a"));

    private final ManualClock clock = new ManualClock();
    private final HangingVolume first = volume();
    private final HangingVolume second = volume();
    private final VolumeSet volumes;
    private final CacheTier tier;
    private final Map<BlockId, byte[]> bytesOf = new HashMap<>();

    VolumesStagedSideBySideTest() throws TatamiException {
        volumes = new VolumeSet(List.of(
                new VolumeSet.ServedVolume(first.volume(), "first"),
                new VolumeSet.ServedVolume(second.volume(), "second")));
        tier = new CacheTier(new MemoryDevice((long) SLOTS * UNIT), 0, IoThreads.onCaller(), volumes, Clock.SYSTEM);
    }

    @AfterEach
    void close() throws TatamiException {
        first.device().goOn();
        tier.close();
        first.close();
        second.close();
    }

    @Test
    void aVolumeThatHangsDoesNotHoldUpWhatIsStagedFromAnother() throws Exception {
        Stager stager = new Stager(tier, volumes);
        try {
            PlannedRange[] ranges = {
                whole(BLOCKS_OF_FIRST[0]),
                whole(BLOCKS_OF_SECOND[0]),
                whole(BLOCKS_OF_FIRST[1]),
                whole(BLOCKS_OF_SECOND[1])
            };
            first.device().hang();
            plan(PLAN, ranges);
            first.device().awaitHanging();
            for (BlockId block : BLOCKS_OF_SECOND) {
                for (int unit = 0; unit < BLOCK_UNITS; unit++) {
                    awaitWaiting(1);
                    assertEquals(ReadUnit.Origin.STAGED, readUnit(second.volume(), block, unit));
                }
            }
            assertEquals(2L * BLOCK_UNITS * UNIT, tier.progress(PLAN).readBytes());
            assertEquals(0, tier.progress(PLAN).lateBytes());

            first.device().goOn();
            for (BlockId block : BLOCKS_OF_FIRST) {
                for (int unit = 0; unit < BLOCK_UNITS; unit++) {
                    awaitWaiting(1);
                    assertEquals(ReadUnit.Origin.STAGED, readUnit(first.volume(), block, unit));
                }
            }
            assertEquals(4L * BLOCK_UNITS * UNIT, tier.progress(PLAN).readBytes());
        } finally {
            first.device().goOn();
            stager.close();
        }
    }

    @Test
    void aVolumeThatHangsDoesNotKeepTheTierFromBeingClosed() throws Exception {
        PlannedRange[] ranges = {whole(BLOCKS_OF_FIRST[0]), whole(BLOCKS_OF_SECOND[0])};
        Stager stager = new Stager(tier, volumes);
        first.device().hang();
        plan(PLAN, ranges);
        first.device().awaitHanging();
        clock.advance(Duration.ofNanos(AccessTimes.HANG_NANOS));

        stager.close();

        assertThrows(TatamiException.class, () -> plan(OTHER, ranges));
        first.device().goOn();
        stager.close();
    }

    @Test
    void whatComesLaterTakesOfARoomThatIsNeededBeforeItNoMoreThanHalf() throws TatamiException {
        plan(PLAN, whole(BLOCKS_OF_FIRST[0]), whole(BLOCKS_OF_SECOND[0]));

        stageAll(1);
        assertEquals(SLOTS / 2L * UNIT, tier.stagedBytes(BLOCKS_OF_SECOND[0]));
        stageAll(0);
        assertEquals(SLOTS / 2L * UNIT, tier.stagedBytes(BLOCKS_OF_FIRST[0]));

        for (int unit = 0; unit < BLOCK_UNITS; unit++) {
            assertEquals(ReadUnit.Origin.STAGED, readUnit(first.volume(), BLOCKS_OF_FIRST[0], unit));
            stageAll(1);
            stageAll(0);
            assertTrue(tier.progress(PLAN).waitingBytes() <= (long) SLOTS * UNIT);
        }
        assertEquals((long) BLOCK_UNITS * UNIT, tier.stagedBytes(BLOCKS_OF_SECOND[0]));
        assertEquals(0, tier.progress(PLAN).lateBytes());
    }

    @Test
    void whatHasRoomForAllBeforeItIsStagedAtOnce() throws TatamiException {
        plan(PLAN, part(BLOCKS_OF_FIRST[0], 0, 2), part(BLOCKS_OF_SECOND[0], 0, 6), part(BLOCKS_OF_FIRST[1], 0, 8));

        stageAll(1);

        assertEquals(6L * UNIT, tier.stagedBytes(BLOCKS_OF_SECOND[0]));
        stageAll(0);
        assertEquals(2L * UNIT, tier.stagedBytes(BLOCKS_OF_FIRST[0]));
        assertEquals(0, tier.stagedBytes(BLOCKS_OF_FIRST[1]));
    }

    @Test
    void plansTakeTurnsOnEachVolume() throws TatamiException {
        plan(PLAN, whole(BLOCKS_OF_FIRST[0]), whole(BLOCKS_OF_SECOND[0]));
        plan(OTHER, whole(BLOCKS_OF_FIRST[1]), whole(BLOCKS_OF_SECOND[1]));

        for (int turn = 0; turn < 2; turn++) {
            assertTrue(tier.stageNext(0, 0));
            assertTrue(tier.stageNext(1, 0));
        }

        for (int i = 0; i < 2; i++) {
            assertEquals(UNIT, tier.stagedBytes(BLOCKS_OF_FIRST[i]));
            assertEquals(UNIT, tier.stagedBytes(BLOCKS_OF_SECOND[i]));
        }
    }

    private void stageAll(int volume) {
        while (tier.stageNext(volume, 0)) {
            Thread.onSpinWait();
        }
    }

    private void awaitWaiting(int units) throws TatamiException, InterruptedException {
        while (tier.progress(PLAN).waitingBytes() < (long) units * UNIT) {
            Thread.sleep(1);
        }
    }

    private void plan(PlanId id, PlannedRange... ranges) throws TatamiException {
        tier.plan(id, RELEASE, 0, Arrays.asList(ranges));
    }

    private PlannedRange whole(BlockId block) throws TatamiException {
        return part(block, 0, BLOCK_UNITS);
    }

    /** Of a block that is written when it is first planned. */
    private PlannedRange part(BlockId block, int unit, int units) throws TatamiException {
        if (!bytesOf.containsKey(block)) {
            write((List.of(BLOCKS_OF_FIRST).contains(block) ? first : second).volume(), block);
        }
        return new PlannedRange(block, Generation.FIRST, (long) unit * UNIT, (long) units * UNIT);
    }

    private HangingVolume volume() {
        try {
            return new HangingVolume(20L * UNIT, VolumeResources.withBuffers(4, 4), clock);
        } catch (TatamiException e) {
            throw new IllegalStateException(e);
        }
    }

    private byte[] bytes(BlockId block) {
        return bytesOf.computeIfAbsent(block, key -> {
            byte[] bytes = new byte[BLOCK_UNITS * UNIT];
            new Random(key.value()).nextBytes(bytes);
            return bytes;
        });
    }

    private void write(Volume volume, BlockId block) throws TatamiException {
        BlockWriter writer = volume.create(block, Generation.FIRST, BLOCK_UNITS * UNIT, false);
        writer.append(ByteBuffer.wrap(bytes(block)), null);
        writer.finish();
    }

    private ReadUnit.Origin readUnit(Volume volume, BlockId block, int unit) throws TatamiException {
        byte[] expected = Arrays.copyOfRange(bytes(block), unit * UNIT, (unit + 1) * UNIT);
        byte[] got = new byte[UNIT];
        try (BlockReader reader = volume.read(block, Generation.FIRST, (long) unit * UNIT, UNIT, tier);
                ReadUnit read = Objects.requireNonNull(reader.next())) {
            read.data().duplicate().get(got);
            assertArrayEquals(expected, got);
            return read.origin();
        }
    }
}
