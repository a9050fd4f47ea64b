package io.tatami.block.service.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.block.service.context.BlockServerMetrics;
import io.tatami.block.service.volumes.VolumeSet;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.SimVolume;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class VolumeWatchTest {
    private static final BlockId BLOCK = new BlockId(1);
    private static final int LENGTH = 100_000;
    private static final int LOOKS = 3;
    private static final int READS = 64;

    @Test
    void aVolumeTenTimesSlowerThanItsPeerIsReportedUntilItIsAsFastAgain() throws TatamiException {
        ManualClock clock = new ManualClock();
        BlockServerMetrics metrics = new BlockServerMetrics();
        try (SimVolume fast = new SimVolume(8 << 20, 1, clock);
                SimVolume slow = new SimVolume(8 << 20, 2, clock)) {
            VolumeSet.ServedVolume first = new VolumeSet.ServedVolume(fast.volume(), "fast");
            VolumeSet.ServedVolume second = new VolumeSet.ServedVolume(slow.volume(), "slow");
            VolumeWatch watch = new VolumeWatch(() -> List.of(first, second), metrics);
            write(fast);
            write(slow);
            fast.disk().takeTime(clock, Duration.ofMillis(4), Duration.ofMillis(20));
            slow.disk().takeTime(clock, Duration.ofMillis(40), Duration.ofMillis(200));
            read(fast);
            read(slow);

            look(watch);

            assertEquals("", watch.slowness(first));
            assertTrue(
                    watch.slowness(second).startsWith("small reads take 10.0 times as long"), watch.slowness(second));
            assertEquals(1, metrics.slowVolumes());

            slow.disk().takeTime(clock, Duration.ofMillis(4), Duration.ofMillis(20));
            read(slow);
            look(watch);

            assertEquals("", watch.slowness(second));
            assertEquals(0, metrics.slowVolumes());
        }
    }

    private static void look(VolumeWatch watch) {
        for (int i = 0; i < LOOKS; i++) {
            watch.look();
        }
    }

    private static void write(SimVolume sim) throws TatamiException {
        BlockWriter writer = sim.volume().create(BLOCK, Generation.FIRST, LENGTH, false);
        writer.append(ByteBuffer.allocate(LENGTH), null);
        writer.finish();
    }

    private static void read(SimVolume sim) throws TatamiException {
        for (int i = 0; i < READS; i++) {
            SimVolume.readAll(sim.volume(), BLOCK);
        }
    }
}
