package io.tatami.block.volume.maintain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.Generation;
import io.tatami.base.ManualClock;
import io.tatami.base.TatamiException;
import io.tatami.block.volume.BlockWriter;
import io.tatami.block.volume.SimVolume;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ScrubberTest {
    private static final int UNIT = 4 << 20;

    @Test
    void aPassReadsNoFasterThanItMay() throws TatamiException {
        try (SimVolume sim = volumeOf(3 * UNIT)) {
            SteppingClock clock = new SteppingClock();
            try (Scrubber scrubber = new Scrubber(sim.volume(), clock, UNIT)) {
                assertEquals(3L * UNIT, scrubber.scrub().scrubbedBytes());
            }
            assertTrue(clock.nanos.get() >= 2_000_000_000L, "3 units at one a second took " + clock.nanos + " ns");
        }
    }

    @Test
    void aPassThatIsAheadWaitsAndIsEndedByClose() throws TatamiException {
        try (SimVolume sim = volumeOf(3 * UNIT)) {
            Scrubber scrubber = new Scrubber(sim.volume(), new ManualClock(), 1);
            scrubber.start();
            scrubber.start();
            assertTrue(scrubber.isRunning());

            scrubber.close();

            assertFalse(scrubber.isRunning());
            assertTrue(scrubber.progress().scrubbedBytes() < 3L * UNIT);
        }
    }

    private static SimVolume volumeOf(int bytes) throws TatamiException {
        SimVolume sim = new SimVolume(8L * UNIT, 1);
        BlockWriter writer = sim.volume().create(new BlockId(1), Generation.FIRST, bytes, false);
        writer.append(ByteBuffer.allocate(bytes), null);
        writer.finish();
        return sim;
    }

    /** Jumps ahead a little at each look, so that waiting needs no time. */
    private static final class SteppingClock implements Clock {
        private final AtomicLong nanos = new AtomicLong();

        @Override
        public long wallMillis() {
            return 0;
        }

        @Override
        public long monotonicNanos() {
            return nanos.addAndGet(400_000_000);
        }
    }
}
