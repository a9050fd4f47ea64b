package io.tatami.block.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.block.device.AccessTimes;
import io.tatami.block.device.AlignedBuffer;
import io.tatami.block.device.Device;
import io.tatami.block.device.HangingDevice;
import io.tatami.block.device.IoThreads;
import io.tatami.block.device.PendingAccess;
import io.tatami.block.device.SimDisk;
import io.tatami.block.device.SimFaults;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockReader;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.ReadUnit;
import io.tatami.block.volume.SimVolume;
import io.tatami.block.volume.UnitCopies;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A tier whose device hangs. Readers have the device hang, or answer, before their patience ends, so that nothing
 * depends on how fast threads are.
 */
class HangingTierTest {
    private static final int UNIT = Device.UNIT_BYTES;
    private static final int SLOTS = 4;
    private static final int WAIT_MILLIS = 50;
    private static final BlockId BLOCK = new BlockId(1);
    private static final PlanSettings KEEP_READ =
            new PlanSettings(false, 0, Duration.ofHours(1).toNanos(), new PlanOrigin("ann", "/a"));

    private final ManualClock clock = new ManualClock();
    private final SimVolume sim;
    private final HangingDevice device = new HangingDevice(new SimDisk((long) SLOTS * UNIT, new SimFaults()));
    private final IoThreads threads = IoThreads.start("hanging", 2);
    private final CacheTier tier;
    private final byte[] bytes = new byte[SLOTS * UNIT];
    private int plans;

    HangingTierTest() throws TatamiException {
        sim = new SimVolume(32L * UNIT, 1);
        VolumeSet source = new VolumeSet(List.of(new VolumeSet.ServedVolume(sim.volume(), "volume")));
        tier = new CacheTier(device, 0, threads, source, clock, WAIT_MILLIS);
    }

    @BeforeEach
    void write() throws TatamiException {
        new Random(1).nextBytes(bytes);
        BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, bytes.length, false);
        writer.append(ByteBuffer.wrap(bytes), null);
        writer.finish();
    }

    @AfterEach
    void close() throws TatamiException {
        device.goOn();
        tier.close();
        threads.close();
        sim.close();
    }

    @Test
    void readersGoToTheVolumeAndAfterAFewTimesTheTierIsSetAside() throws Exception {
        stageAll();
        assertEquals(ReadUnit.Origin.STAGED, readUnit(0));
        device.hang();
        for (int unit = 1; unit <= SlotDevice.HANGS_MAX; unit++) {
            assertEquals("", tier.status().failure());
            assertEquals(ReadUnit.Origin.VOLUME, readUnitInVain(unit));
        }

        assertTrue(
                tier.status().failure().contains("did not complete an access"),
                tier.status().failure());
        assertEquals(SlotDevice.HANGS_MAX, tier.status().hangs());
        assertEquals(ReadUnit.Origin.VOLUME, readUnit(0));
        assertEquals(SlotDevice.HANGS_MAX, tier.status().hangs());
    }

    @Test
    void aHangThatPassesIsForgotten() throws Exception {
        for (int round = 0; round < 2 * SlotDevice.HANGS_MAX; round++) {
            stageAll();
            device.hang();
            assertEquals(ReadUnit.Origin.VOLUME, readUnitInVain(0));
            device.goOn();
            assertEquals(ReadUnit.Origin.STAGED, readUnit(1));
        }
        assertEquals("", tier.status().failure());
        assertEquals(2 * SlotDevice.HANGS_MAX, tier.status().hangs());
    }

    @Test
    void whenStagingHangsReadersGoToTheVolumeAndAfterAFewTimesTheTierIsSetAside() throws Exception {
        plan();
        device.hang();
        Thread stager = new Thread(() -> tier.stageNext(0, 0));
        stager.start();
        device.awaitHanging();
        clock.advance(Duration.ofMillis(WAIT_MILLIS));
        for (int unit = 0; unit < SlotDevice.HANGS_MAX; unit++) {
            assertEquals("", tier.status().failure());
            assertEquals(ReadUnit.Origin.LATE, readUnit(unit));
        }

        assertTrue(
                tier.status().failure().contains("did not complete an access"),
                tier.status().failure());
        assertEquals(ReadUnit.Origin.VOLUME, readUnit(3));
        device.goOn();
        stager.join();
    }

    @Test
    void itIsClosedAllTheSameAndGivesTheBuffersBackWhenItsDeviceGoesOn() throws Exception {
        stageAll();
        device.hang();
        assertEquals(ReadUnit.Origin.VOLUME, readUnitInVain(0));
        clock.advance(Duration.ofNanos(AccessTimes.HANG_NANOS));

        tier.close();

        device.goOn();
        threads.close();
        // Fails where one of them is not back.
        sim.close();
    }

    private void plan() throws TatamiException {
        PlannedRange whole = new PlannedRange(BLOCK, Generation.FIRST, 0, bytes.length);
        tier.plan(new PlanId(new UUID(1, plans++)), KEEP_READ, 0, List.of(whole));
    }

    private void stageAll() throws TatamiException {
        plan();
        while (tier.stageNext(0, 0)) {
            Thread.onSpinWait();
        }
    }

    /** With a reader that waits until its bytes are there. */
    private ReadUnit.Origin readUnit(int unit) throws TatamiException {
        return readUnit(unit, () -> Duration.ofMinutes(1).toMillis());
    }

    /** With a reader whose patience ends when the device hangs for it. */
    private ReadUnit.Origin readUnitInVain(int unit) throws TatamiException {
        return readUnit(unit, () -> {
            device.awaitHanging();
            clock.advance(Duration.ofMillis(WAIT_MILLIS));
            return 0;
        });
    }

    private ReadUnit.Origin readUnit(int unit, Patience patience) throws TatamiException {
        UnitCopies copies = (block, number, endBytes, readsToItsEnd) -> {
            UnitCopies.Answer answer = tier.ask(block, number, endBytes, readsToItsEnd);
            UnitCopies.Copy copy = answer.copy();
            return copy == null ? answer : new UnitCopies.Answer(new WithPatience(copy, patience), answer.late());
        };
        byte[] got = new byte[UNIT];
        try (BlockReader reader = sim.volume().read(BLOCK, Generation.FIRST, (long) unit * UNIT, UNIT, copies);
                ReadUnit read = Objects.requireNonNull(reader.next())) {
            read.data().duplicate().get(got);
            assertArrayEquals(Arrays.copyOfRange(bytes, unit * UNIT, (unit + 1) * UNIT), got);
            return read.origin();
        }
    }

    /** How many milliseconds a reader waits that has asked for bytes. */
    private interface Patience {
        long millis() throws InterruptedException;
    }

    private record WithPatience(UnitCopies.Copy copy, Patience patience) implements UnitCopies.Copy {
        @Override
        public long waitMillisMax() {
            try {
                return patience.millis();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public boolean awaitReady() {
            return copy.awaitReady();
        }

        @Override
        public PendingAccess fetch(long start, long end, AlignedBuffer into) {
            return copy.fetch(start, end, into);
        }

        @Override
        public void tooLate() {
            copy.tooLate();
        }

        @Override
        public void done() {
            copy.done();
        }

        @Override
        public void bad() {
            copy.bad();
        }

        @Override
        public void failed(TatamiException failure) {
            copy.failed(failure);
        }
    }
}
