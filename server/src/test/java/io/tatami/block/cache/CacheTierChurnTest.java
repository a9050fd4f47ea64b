package io.tatami.block.cache;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Plans over the same blocks come and go while others are staged and read, in an order that a seed repeats: readers get
 * the right bytes, what plans tell adds up, and no slot is lost.
 */
class CacheTierChurnTest {
    private static final int UNIT = Device.UNIT_BYTES;
    private static final int SLOTS = 6;
    private static final int VOLUMES = 2;
    private static final int BLOCKS = 4;
    private static final int BLOCK_UNITS = 4;
    private static final int PLANS_MAX = 3;
    private static final PlanOrigin ORIGIN = new PlanOrigin("ann", "/a");
    private static final long KEEP_NANOS = Duration.ofMinutes(10).toNanos();
    private static final int SEEDS = 12;
    private static final int STEPS = 120;

    private final List<HangingVolume> volumes = new ArrayList<>();
    private final VolumeSet source;
    private final byte[][] bytes = new byte[BLOCKS][BLOCK_UNITS * UNIT];

    CacheTierChurnTest() throws TatamiException {
        List<VolumeSet.ServedVolume> served = new ArrayList<>();
        for (int number = 0; number < VOLUMES; number++) {
            HangingVolume volume =
                    new HangingVolume((long) BLOCKS * BLOCK_UNITS * UNIT, VolumeResources.withBuffers(4, 4));
            volumes.add(volume);
            served.add(new VolumeSet.ServedVolume(volume.volume(), "volume " + number));
        }
        source = new VolumeSet(served);
        for (int block = 0; block < BLOCKS; block++) {
            new Random(block).nextBytes(bytes[block]);
            BlockWriter writer = volumeOf(block).create(id(block), Generation.FIRST, bytes[block].length, false);
            writer.append(ByteBuffer.wrap(bytes[block]), null);
            writer.finish();
        }
    }

    @AfterEach
    void close() throws TatamiException {
        for (HangingVolume volume : volumes) {
            volume.close();
        }
    }

    @Test
    void whateverPlansComeAndGoReadersGetTheirBytesAndNoSlotIsLost() throws TatamiException {
        long only = Long.getLong("tatami.test.seed", -1);
        for (long seed = only < 0 ? 0 : only; seed < (only < 0 ? SEEDS : only + 1); seed++) {
            try (Churn churn = new Churn(seed)) {
                churn.run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("replay with -Dtatami.test.seed=" + seed, e);
            }
        }
    }

    private static BlockId id(int block) {
        return new BlockId(1 + block);
    }

    private Volume volumeOf(int block) {
        return volumes.get(block % VOLUMES).volume();
    }

    /** One order of events. */
    private final class Churn implements AutoCloseable {
        private final Random random;
        private final ManualClock clock = new ManualClock();
        private final CacheTier tier;
        private final List<PlanId> plans = new ArrayList<>();

        Churn(long seed) throws TatamiException {
            random = new Random(seed);
            tier = new CacheTier(new MemoryDevice((long) SLOTS * UNIT), 0, IoThreads.onCaller(), source, clock);
        }

        void run() throws TatamiException {
            for (int step = 0; step < STEPS; step++) {
                step();
                check();
            }
            for (PlanId plan : plans) {
                tier.cancel(plan);
            }
            assertEquals(0, tier.status().plans());
            PlanId last = plan(true, 0, range(0, 0, BLOCK_UNITS), range(1, 0, BLOCK_UNITS));
            stageAll();
            assertEquals((long) SLOTS * UNIT, tier.progress(last).waitingBytes(), "a slot is lost");
        }

        private void step() throws TatamiException {
            int what = random.nextInt(100);
            if (what < 8 && plans.size() < PLANS_MAX) {
                plans.add(plan(random.nextBoolean(), random.nextInt(3) == 0 ? 2L * UNIT : 0, randomRanges()));
            } else if (what < 10 && !plans.isEmpty()) {
                tier.cancel(plans.remove(random.nextInt(plans.size())));
            } else if (what < 11) {
                tier.forget(id(random.nextInt(BLOCKS)));
            } else if (what < 12) {
                clock.advance(Duration.ofNanos(KEEP_NANOS / 4));
            } else if (what < 55) {
                boolean unused = tier.stageNext(random.nextInt(VOLUMES), 0);
            } else {
                read(random.nextInt(BLOCKS));
            }
        }

        private PlannedRange[] randomRanges() {
            PlannedRange[] ranges = new PlannedRange[1 + random.nextInt(4)];
            for (int i = 0; i < ranges.length; i++) {
                int first = random.nextInt(BLOCK_UNITS);
                ranges[i] = range(random.nextInt(BLOCKS), first, 1 + random.nextInt(BLOCK_UNITS - first));
            }
            return ranges;
        }

        private PlannedRange range(int block, int firstUnit, int units) {
            return new PlannedRange(id(block), Generation.FIRST, (long) firstUnit * UNIT, (long) units * UNIT);
        }

        private PlanId plan(boolean release, long windowBytes, PlannedRange... ranges) throws TatamiException {
            PlanId id = new PlanId(new UUID(random.nextLong(), random.nextLong()));
            tier.plan(id, new PlanSettings(release, windowBytes, KEEP_NANOS, ORIGIN), 0, Arrays.asList(ranges));
            return id;
        }

        /** Some units of a block, or a part of one; maybe given up before its end. */
        private void read(int block) throws TatamiException {
            int start = random.nextInt(bytes[block].length);
            int length = 1 + random.nextInt(Math.min(2 * UNIT, bytes[block].length - start));
            int units = 1 + random.nextInt(3);
            int at = start;
            try (BlockReader reader = volumeOf(block).read(id(block), Generation.FIRST, start, length, tier)) {
                for (int left = units; left > 0; left--) {
                    try (ReadUnit unit = reader.next()) {
                        if (unit == null) {
                            return;
                        }
                        byte[] got = new byte[unit.data().remaining()];
                        unit.data().duplicate().get(got);
                        assertArrayEquals(Arrays.copyOfRange(bytes[block], at, at + got.length), got);
                        at += got.length;
                    }
                }
            }
        }

        private void stageAll() {
            for (int volume = 0; volume < VOLUMES; volume++) {
                while (tier.stageNext(volume, 0)) {
                    Thread.onSpinWait();
                }
            }
        }

        private void check() throws TatamiException {
            assertTrue(tier.status().usedBytes() <= (long) SLOTS * UNIT);
            long waiting = 0;
            for (PlanId plan : plans) {
                try {
                    PlanProgress progress = tier.progress(plan);
                    assertTrue(progress.waitingBytes() >= 0 && progress.remainingBytes() >= 0, progress::toString);
                    assertTrue(progress.readBytes() <= progress.plannedBytes(), progress::toString);
                    assertTrue(progress.lateBytes() <= progress.readBytes(), progress::toString);
                    assertEquals(0, progress.failedBytes(), progress::toString);
                    waiting += progress.waitingBytes();
                } catch (TatamiException e) {
                    plans.remove(plan);
                    return;
                }
            }
            assertTrue(waiting <= tier.status().usedBytes(), "more waits than there is");
        }

        @Override
        public void close() throws TatamiException {
            tier.close();
        }
    }
}
