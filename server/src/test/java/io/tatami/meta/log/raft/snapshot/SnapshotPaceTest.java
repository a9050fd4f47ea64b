package io.tatami.meta.log.raft.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.ManualClock;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class SnapshotPaceTest {
    private static final long SECOND_NANOS = 1_000_000_000;

    private final ManualClock clock = new ManualClock();
    private final SnapshotPace pace = new SnapshotPace(1_000, clock);

    @Test
    void eachWaitsForWhatItTookAndForThoseBefore() {
        assertEquals(SECOND_NANOS, pace.nanosAfter(1_000));
        assertEquals(SECOND_NANOS * 3 / 2, pace.nanosAfter(500));
        clock.advance(Duration.ofSeconds(1));
        assertEquals(SECOND_NANOS, pace.nanosAfter(500));
    }

    @Test
    void aPauseIsNotMadeUpFor() {
        clock.advance(Duration.ofHours(1));
        assertEquals(SECOND_NANOS * 2, pace.nanosAfter(2_000));
    }
}
