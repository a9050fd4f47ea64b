package io.tatami.meta.service.copies;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class DrainProgressTest {
    private static final ServerId SERVER = new ServerId(3);

    private final ManualClock clock = new ManualClock();
    private final DrainProgress progress = new DrainProgress(clock);

    private long after(Duration time, long left) {
        clock.advance(time);
        return progress.remainingMillis(SERVER, left);
    }

    @Test
    void whatIsLeftTakesAsLongAsBlocksHaveTakenLately() {
        assertEquals(0, after(Duration.ZERO, 1_000));
        assertEquals(0, after(Duration.ofSeconds(10), 1_000), "nothing has gone");
        assertEquals(180_000, after(Duration.ofSeconds(10), 900));
        assertEquals(0, after(Duration.ofSeconds(10), 0));
    }

    @Test
    void whatWasLongAgoDoesNotCount() {
        assertEquals(0, after(Duration.ZERO, 1_000_000));
        assertEquals(0, after(Duration.ofMinutes(11), 1_000));
        assertEquals(90_000, after(Duration.ofSeconds(10), 900));
    }

    @Test
    void moreBlocksThanBeforeBeginANewEstimate() {
        assertEquals(0, after(Duration.ZERO, 100));
        assertEquals(0, after(Duration.ofSeconds(10), 200));
        assertEquals(10_000, after(Duration.ofSeconds(10), 100));
    }

    @Test
    void fewServersAreRemembered() {
        assertEquals(0, after(Duration.ZERO, 100));
        for (int other = 0; other < DrainProgress.SERVERS_MAX; other++) {
            assertEquals(0, progress.remainingMillis(new ServerId(100 + other), 5));
        }
        assertEquals(0, after(Duration.ofSeconds(10), 50));
    }
}
