package io.tatami.block.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.ErrorCode;
import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.block.device.Device;
import io.tatami.block.device.IoThreads;
import io.tatami.block.device.SimDisk;
import io.tatami.block.device.SimFaults;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.ReadUnit;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.Volume;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CacheTierTest {
    private static final int UNIT = Device.UNIT_BYTES;
    private static final BlockId FIRST = new BlockId(1);
    private static final BlockId SECOND = new BlockId(2);
    private static final int SLOTS = 4;
    private static final PlanId PLAN = new PlanId(new UUID(0, 1));
    private static final PlanId OTHER = new PlanId(new UUID(0, 2));
    private static final PlanOrigin ORIGIN = new PlanOrigin("ann", "/first");
    private static final PlanSettings KEEP_READ =
            new PlanSettings(false, 0, Duration.ofHours(1).toNanos(), ORIGIN);
    private static final PlanSettings RELEASE =
            new PlanSettings(true, 0, Duration.ofHours(1).toNanos(), ORIGIN);

    private final ManualClock clock = new ManualClock();
    private final SimVolume sim;
    private final SimFaults cacheFaults = new SimFaults();
    private final SimDisk cacheDisk = new SimDisk((long) SLOTS * UNIT, cacheFaults);
    private final CacheTier tier;
    private byte[] firstBytes = new byte[0];

    CacheTierTest() throws TatamiException {
        sim = new SimVolume(32L * UNIT, 1);
        tier = new CacheTier(cacheDisk, 0, IoThreads.onCaller(), new Source(), clock);
    }

    @AfterEach
    void close() throws TatamiException {
        tier.close();
        sim.close();
    }

    @Test
    void plannedUnitsAreStagedAndReadFromTheirCopies() throws TatamiException {
        firstBytes = write(FIRST, 2 * UNIT + 70_001);
        plan(PLAN, KEEP_READ, whole(FIRST, firstBytes.length));

        assertTrue(tier.stageNext(0, 0));

        assertEquals(3L * UNIT, tier.status().usedBytes());
        destroyVolume();
        assertEquals(
                List.of(ReadUnit.Origin.STAGED, ReadUnit.Origin.STAGED, ReadUnit.Origin.STAGED),
                readAll(FIRST, firstBytes));
        assertEquals(new PlanProgress(3L * UNIT, 0, 0, 3L * UNIT, 0, 0), tier.progress(PLAN));
    }

    @Test
    void theNewestPlansAreToldAndTheOthersAreNot() throws TatamiException {
        firstBytes = write(FIRST, UNIT);
        plan(PLAN, KEEP_READ, whole(FIRST, UNIT));
        plan(OTHER, KEEP_READ, whole(FIRST, UNIT));

        assertEquals(List.of(PLAN, OTHER), List.copyOf(tier.newest(2).keySet()));
        assertEquals(Map.of(OTHER, new PlanProgress(UNIT, UNIT, 0, 0, 0, 0)), tier.newest(1));
    }

    @Test
    void aPlanStaysThatOfWhoBeganIt() throws TatamiException {
        PlanOrigin other = new PlanOrigin("bert", "");
        plan(PLAN, KEEP_READ, whole(FIRST, UNIT));
        plan(OTHER, new PlanSettings(true, 0, 1_000, other), whole(FIRST, UNIT));
        plan(PLAN, new PlanSettings(true, 0, 1_000, other), whole(FIRST, UNIT), whole(SECOND, UNIT));

        assertEquals(Map.of(PLAN, ORIGIN, OTHER, other), tier.newestOrigins(2));
        assertEquals(Map.of(OTHER, other), tier.newestOrigins(1));
    }

    @Test
    void whatNobodyPlannedIsReadFromTheVolumeAndNeverWrittenToTheTier() throws TatamiException {
        firstBytes = write(FIRST, 2 * UNIT);

        assertEquals(List.of(ReadUnit.Origin.VOLUME, ReadUnit.Origin.VOLUME), readAll(FIRST, firstBytes));

        assertFalse(tier.stageNext(0, 0));
        assertEquals(0, tier.status().usedBytes());
    }

    @Test
    void aScanLargerThanTheTierIsStagedInAWindowThatMovesWithItsReader() throws TatamiException {
        firstBytes = write(FIRST, 3 * SLOTS * UNIT);
        plan(PLAN, RELEASE, whole(FIRST, firstBytes.length));

        for (int unit = 0; unit < 3 * SLOTS; unit++) {
            while (tier.stageNext(0, 0)) {
                assertTrue(tier.progress(PLAN).waitingBytes() <= (long) SLOTS * UNIT);
            }
            assertEquals(ReadUnit.Origin.STAGED, readUnit(FIRST, unit, firstBytes));
        }

        assertEquals(0, tier.status().usedBytes());
        assertEquals((long) 3 * SLOTS * UNIT, tier.status().stagedBytes());
    }

    @Test
    void copiesThatWereReadGoWhenRoomIsNeededTheFirstReadFirst() throws TatamiException {
        firstBytes = write(FIRST, SLOTS * UNIT);
        byte[] secondBytes = write(SECOND, UNIT);
        plan(PLAN, KEEP_READ, whole(FIRST, firstBytes.length));
        stageAll();
        readUnit(FIRST, 2, firstBytes);
        readUnit(FIRST, 0, firstBytes);
        readUnit(FIRST, 1, firstBytes);
        readUnit(FIRST, 3, firstBytes);

        plan(OTHER, KEEP_READ, whole(SECOND, UNIT));
        stageAll();

        assertEquals(ReadUnit.Origin.STAGED, readUnit(SECOND, 0, secondBytes));
        assertEquals(ReadUnit.Origin.VOLUME, readUnit(FIRST, 2, firstBytes));
        assertEquals(ReadUnit.Origin.STAGED, readUnit(FIRST, 0, firstBytes));
    }

    @Test
    void plansShareTheTierEquallyAndNoneTakesWhatWaitsForAnothersReader() throws TatamiException {
        firstBytes = write(FIRST, 8 * UNIT);
        byte[] secondBytes = write(SECOND, 8 * UNIT);
        plan(PLAN, RELEASE, whole(FIRST, 8 * UNIT));
        stageAll();
        assertEquals((long) SLOTS * UNIT, tier.progress(PLAN).waitingBytes());

        plan(OTHER, RELEASE, whole(SECOND, 8 * UNIT));
        stageAll();
        assertEquals(0, tier.progress(OTHER).waitingBytes());
        for (int unit = 0; unit < SLOTS; unit++) {
            assertEquals(ReadUnit.Origin.STAGED, readUnit(FIRST, unit, firstBytes));
            stageAll();
        }

        assertEquals((long) SLOTS / 2 * UNIT, tier.progress(PLAN).waitingBytes());
        assertEquals((long) SLOTS / 2 * UNIT, tier.progress(OTHER).waitingBytes());
        assertEquals(ReadUnit.Origin.STAGED, readUnit(SECOND, 0, secondBytes));
    }

    @Test
    void aWindowLimitsWhatIsStagedAhead() throws TatamiException {
        firstBytes = write(FIRST, 4 * UNIT);
        plan(PLAN, new PlanSettings(true, 2L * UNIT, Long.MAX_VALUE, ORIGIN), whole(FIRST, 4 * UNIT));
        stageAll();

        assertEquals(2L * UNIT, tier.progress(PLAN).waitingBytes());
    }

    @Test
    void whatAReaderTakesBeforeItIsStagedIsLateAndNotStagedAnyMore() throws TatamiException {
        firstBytes = write(FIRST, 2 * UNIT);
        plan(PLAN, RELEASE, whole(FIRST, 2 * UNIT));

        assertEquals(ReadUnit.Origin.LATE, readUnit(FIRST, 0, firstBytes));
        stageAll();

        assertEquals(UNIT, tier.status().stagedBytes());
        assertEquals(new PlanProgress(2L * UNIT, 0, UNIT, UNIT, UNIT, 0), tier.progress(PLAN));
    }

    @Test
    void aCopyThatWentBadIsPassedOverAndTheVolumeIsRead() throws TatamiException {
        firstBytes = write(FIRST, UNIT);
        plan(PLAN, KEEP_READ, whole(FIRST, UNIT));
        stageAll();
        for (long at = 0; at < (long) SLOTS * UNIT; at += UNIT) {
            cacheDisk.flipBit(at + 77_777, 3);
        }

        assertEquals(ReadUnit.Origin.VOLUME, readUnit(FIRST, 0, firstBytes));

        assertEquals(1, tier.status().damagedCopies());
        assertEquals(0, tier.status().usedBytes());
        assertEquals(List.of(), sim.damages());
    }

    @Test
    void whenTheTiersDeviceFailsReadersGoOnWithTheVolume() throws TatamiException {
        firstBytes = write(FIRST, 2 * UNIT);
        plan(PLAN, KEEP_READ, whole(FIRST, 2 * UNIT));
        stageAll();
        cacheFaults.arm(0, SimFaults.Fault.IO_ERROR);

        assertEquals(ReadUnit.Origin.VOLUME, readAll(FIRST, firstBytes).get(0));
        assertEquals(List.of(ReadUnit.Origin.VOLUME, ReadUnit.Origin.VOLUME), readAll(FIRST, firstBytes));

        assertFalse(tier.status().failure().isEmpty());
        TatamiException refused = assertThrows(TatamiException.class, () -> plan(OTHER, KEEP_READ, whole(FIRST, UNIT)));
        assertEquals(ErrorCode.IO_ERROR, refused.code());
    }

    @Test
    void whenTheTiersDeviceFailsToBeWrittenNothingButTheTierStops() throws TatamiException {
        firstBytes = write(FIRST, 2 * UNIT);
        plan(PLAN, KEEP_READ, whole(FIRST, 2 * UNIT));
        cacheFaults.arm(0, SimFaults.Fault.IO_ERROR);

        stageAll();

        assertFalse(tier.status().failure().isEmpty());
        assertEquals(List.of(ReadUnit.Origin.VOLUME, ReadUnit.Origin.VOLUME), readAll(FIRST, firstBytes));
    }

    @Test
    void whatCannotBeReadFromTheVolumeIsGivenUpAndTheRestIsStaged() throws TatamiException {
        firstBytes = write(FIRST, UNIT);
        plan(PLAN, KEEP_READ, whole(new BlockId(99), UNIT), whole(FIRST, UNIT));
        stageAll();

        assertEquals(new PlanProgress(2L * UNIT, 0, UNIT, 0, 0, UNIT), tier.progress(PLAN));
    }

    @Test
    void aDamagedUnitIsGivenUpAndThoseAroundItAreStaged() throws TatamiException {
        firstBytes = write(FIRST, 4 * UNIT);
        sim.disk().flipBit(UNIT + UNIT + 100_000, 1);
        plan(PLAN, KEEP_READ, whole(FIRST, 4 * UNIT));
        stageAll();

        assertEquals(new PlanProgress(4L * UNIT, 0, 3L * UNIT, 0, 0, UNIT), tier.progress(PLAN));
        assertEquals(3L * UNIT, tier.status().usedBytes());
        for (int unit : new int[] {0, 2, 3}) {
            assertEquals(ReadUnit.Origin.STAGED, readUnit(FIRST, unit, firstBytes));
        }
        assertThrows(TatamiException.class, () -> readUnit(FIRST, 1, firstBytes));
    }

    @Test
    void aRefusedContinuationLeavesNoPlan() {
        assertThrows(TatamiException.class, () -> tier.plan(OTHER, KEEP_READ, 1, List.of(whole(FIRST, UNIT))));

        assertEquals(0, tier.status().plans());
    }

    @Test
    void aCancelledPlanLeavesNothingThatWasNotRead() throws TatamiException {
        firstBytes = write(FIRST, 2 * UNIT);
        plan(PLAN, KEEP_READ, whole(FIRST, 2 * UNIT));
        stageAll();

        tier.cancel(PLAN);

        assertEquals(0, tier.status().usedBytes());
        assertEquals(
                ErrorCode.NOT_FOUND,
                assertThrows(TatamiException.class, () -> tier.progress(PLAN)).code());
    }

    @Test
    void aPlanThatNobodyUsesIsForgotten() throws TatamiException {
        firstBytes = write(FIRST, 2 * UNIT);
        plan(PLAN, new PlanSettings(false, 0, 1_000, ORIGIN), whole(FIRST, 2 * UNIT));
        stageAll();
        clock.advance(Duration.ofNanos(999));
        assertFalse(tier.stageNext(0, 0));
        assertEquals(2L * UNIT, tier.status().usedBytes());

        clock.advance(Duration.ofNanos(1));
        assertFalse(tier.stageNext(0, 0));

        assertEquals(0, tier.status().usedBytes());
        assertEquals(0, tier.status().plans());
    }

    @Test
    void rangesSentAgainCountOnce() throws TatamiException {
        firstBytes = write(FIRST, UNIT);
        byte[] secondBytes = write(SECOND, UNIT);
        List<PlannedRange> first = List.of(whole(FIRST, firstBytes.length));
        List<PlannedRange> second = List.of(whole(SECOND, secondBytes.length));
        tier.plan(PLAN, KEEP_READ, 0, first);
        tier.plan(PLAN, KEEP_READ, 0, first);
        tier.plan(PLAN, KEEP_READ, 1, second);

        assertEquals(2L * UNIT, tier.plan(PLAN, KEEP_READ, 1, second).plannedBytes());
        assertEquals(
                ErrorCode.INVALID_ARGUMENT,
                assertThrows(TatamiException.class, () -> tier.plan(OTHER, KEEP_READ, 1, second))
                        .code());
    }

    @Test
    void aCopyIsKeptForAReadOfEachPlanThatHasItAndThenReleased() throws TatamiException {
        firstBytes = write(FIRST, UNIT);
        plan(PLAN, RELEASE, whole(FIRST, UNIT));
        plan(OTHER, RELEASE, whole(FIRST, UNIT));
        stageAll();

        assertEquals(ReadUnit.Origin.STAGED, readUnit(FIRST, 0, firstBytes));
        assertEquals(UNIT, tier.status().usedBytes());
        assertEquals(ReadUnit.Origin.STAGED, readUnit(FIRST, 0, firstBytes));

        assertEquals(UNIT, tier.status().stagedBytes());
        assertEquals(0, tier.status().usedBytes());
    }

    @Test
    void oneReadCountsForEveryPlanThatHasTheUnitSoThatNoneStalls() throws TatamiException {
        int units = 3 * SLOTS;
        firstBytes = write(FIRST, units * UNIT);
        plan(PLAN, RELEASE, whole(FIRST, units * UNIT));
        plan(OTHER, RELEASE, whole(FIRST, units * UNIT));

        for (int unit = 0; unit < units; unit++) {
            stageAll();
            assertEquals(ReadUnit.Origin.STAGED, readUnit(FIRST, unit, firstBytes));
        }

        for (PlanId id : List.of(PLAN, OTHER)) {
            assertEquals(new PlanProgress((long) units * UNIT, 0, 0, (long) units * UNIT, 0, 0), tier.progress(id));
        }
        assertEquals((long) units * UNIT, tier.status().stagedBytes());
    }

    @Test
    void aReadDoesNotCountForAPlanWhoseReadersAreFarFromIt() throws TatamiException {
        firstBytes = write(FIRST, UNIT);
        byte[] secondBytes = write(SECOND, 2 * SLOTS * UNIT);
        plan(PLAN, RELEASE, whole(FIRST, UNIT));
        plan(OTHER, RELEASE, whole(SECOND, 2 * SLOTS * UNIT), whole(FIRST, UNIT));
        stageAll();

        assertEquals(ReadUnit.Origin.STAGED, readUnit(FIRST, 0, firstBytes));

        assertEquals(UNIT, tier.progress(PLAN).readBytes());
        assertEquals(0, tier.progress(OTHER).readBytes());
        for (int unit = 0; unit < 2 * SLOTS; unit++) {
            stageAll();
            assertEquals(ReadUnit.Origin.STAGED, readUnit(SECOND, unit, secondBytes));
        }
        stageAll();
        assertEquals(ReadUnit.Origin.STAGED, readUnit(FIRST, 0, firstBytes));
        assertEquals(0, tier.progress(OTHER).lateBytes());
    }

    @Test
    void whatACancelledPlanLeavesWaitsForTheReaderOfAnother() throws TatamiException {
        firstBytes = write(FIRST, 2 * UNIT);
        plan(PLAN, RELEASE, whole(FIRST, 2 * UNIT));
        plan(OTHER, RELEASE, whole(FIRST, UNIT));
        stageAll();

        tier.cancel(PLAN);

        assertEquals(UNIT, tier.status().usedBytes());
        assertEquals(UNIT, tier.progress(OTHER).waitingBytes());
        assertEquals(ReadUnit.Origin.STAGED, readUnit(FIRST, 0, firstBytes));
        assertEquals(0, tier.status().usedBytes());
    }

    @Test
    void copiesOfADeletedBlockGoWithIt() throws TatamiException {
        firstBytes = write(FIRST, UNIT);
        plan(PLAN, KEEP_READ, whole(FIRST, UNIT));
        stageAll();

        tier.forget(FIRST);

        assertEquals(0, tier.status().usedBytes());
    }

    private void plan(PlanId id, PlanSettings settings, PlannedRange... ranges) throws TatamiException {
        tier.plan(id, settings, 0, Arrays.asList(ranges));
    }

    private static PlannedRange whole(BlockId block, long lengthBytes) {
        return new PlannedRange(block, Generation.FIRST, 0, lengthBytes);
    }

    private void stageAll() {
        while (tier.stageNext(0, 0)) {
            Thread.onSpinWait();
        }
    }

    private byte[] write(BlockId block, int length) throws TatamiException {
        byte[] bytes = new byte[length];
        new Random(block.value()).nextBytes(bytes);
        BlockWriter writer = sim.volume().create(block, Generation.FIRST, length, false);
        writer.append(ByteBuffer.wrap(bytes), null);
        writer.finish();
        return bytes;
    }

    /** Leaves the volume with wrong bytes, so that only copies can be right. */
    private void destroyVolume() {
        for (long sector = UNIT / Device.ALIGNMENT_BYTES; sector < 8L * UNIT / Device.ALIGNMENT_BYTES; sector++) {
            sim.disk().poke(sector, new byte[Device.ALIGNMENT_BYTES]);
        }
    }

    private List<ReadUnit.Origin> readAll(BlockId block, byte[] expected) throws TatamiException {
        return read(block, 0, expected);
    }

    private ReadUnit.Origin readUnit(BlockId block, int unit, byte[] expectedBlock) throws TatamiException {
        long start = (long) unit * UNIT;
        byte[] expected = Arrays.copyOfRange(expectedBlock, (int) start, (int) start + UNIT);
        return read(block, start, expected).get(0);
    }

    private List<ReadUnit.Origin> read(BlockId block, long start, byte[] expected) throws TatamiException {
        List<ReadUnit.Origin> origins = new ArrayList<>();
        ByteBuffer got = ByteBuffer.allocate(expected.length);
        try (BlockReader reader = sim.volume().read(block, Generation.FIRST, start, expected.length, tier)) {
            for (ReadUnit unit = reader.next(); unit != null; unit = reader.next()) {
                got.put(unit.data().duplicate());
                origins.add(unit.origin());
                unit.close();
            }
        }
        assertArrayEquals(expected, got.array());
        return origins;
    }

    private final class Source implements UnitSource {
        @Override
        public int volumeCount() {
            return 1;
        }

        @Override
        public int volumeOf(BlockId block) {
            return 0;
        }

        @Override
        public boolean isHanging(int volume) {
            return false;
        }

        @Override
        public long lengthBytes(BlockId block, Generation generation) throws TatamiException {
            return sim.volume()
                    .find(block)
                    .orElseThrow(() -> new TatamiException(ErrorCode.NO_SUCH_BLOCK, "no " + block))
                    .visibleBytes();
        }

        @Override
        public BlockReader open(BlockId block, Generation generation, long offsetBytes, long lengthBytes)
                throws TatamiException {
            Volume volume = sim.volume();
            return volume.read(block, generation, offsetBytes, lengthBytes);
        }
    }
}
