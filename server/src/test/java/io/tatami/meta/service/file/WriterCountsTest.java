package io.tatami.meta.service.file;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import io.tatami.cluster.RecentCount;
import io.tatami.protocol.wire.GiveCreditsRequest;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a leader knows of how many writers servers have. */
class WriterCountsTest {
    private static final ServerId FIRST = new ServerId(1);
    private static final ServerId SECOND = new ServerId(2);
    private static final Duration SPAN = Duration.ofMillis(RecentCount.SPAN_MILLIS);
    private static final Duration PART = Duration.ofMillis(RecentCount.SPAN_MILLIS / 8);

    private final ManualClock clock = new ManualClock();
    private final WriterCounts counts = new WriterCounts(clock);

    @Test
    void grantsCountAtOnceBesideWhatTheServerTold() {
        tell(FIRST, 5, 0);
        assertEquals(5, counts.on(FIRST));
        counts.granted(FIRST);
        counts.granted(FIRST);
        assertEquals(7, counts.on(FIRST));
        assertEquals(0, counts.on(SECOND));
    }

    @Test
    void grantThatWasOpenedCountsOnceAndOneThatIsYetToBeOpenedStays() {
        counts.granted(FIRST);
        counts.granted(FIRST);
        clock.advance(PART);
        tell(FIRST, 1, 1);
        assertEquals(2, counts.on(FIRST), "one is open, one is on its way");
        clock.advance(PART);
        tell(FIRST, 2, 2);
        assertEquals(2, counts.on(FIRST));
    }

    @Test
    void grantThatIsNeverWrittenIsForgotten() {
        tell(FIRST, 0, 0);
        counts.granted(FIRST);
        tell(FIRST, 0, 0);
        assertEquals(1, counts.on(FIRST));
        clock.advance(SPAN.plus(PART));
        tell(FIRST, 0, 0);
        assertEquals(0, counts.on(FIRST));
    }

    @Test
    void writerThatHasEndedCountsNoMoreBeforeTheServerTells() {
        tell(FIRST, 5, 0);
        counts.ended(FIRST);
        assertEquals(4, counts.on(FIRST));
        counts.granted(FIRST);
        counts.ended(FIRST);
        assertEquals(4, counts.on(FIRST), "it began and ended between two tellings");
        tell(FIRST, 4, 1);
        assertEquals(4, counts.on(FIRST));
    }

    /** It had ended just before the server told of one writer. */
    @Test
    void serverHasNeverFewerThanNoWriters() {
        tell(FIRST, 1, 0);
        counts.ended(FIRST);
        counts.ended(FIRST);
        assertEquals(0, counts.on(FIRST));
        tell(FIRST, 1, 0);
        assertEquals(1, counts.on(FIRST));
    }

    @Test
    void serverThatTellsNothingAnyLongerIsTakenForOneOfTheMean() {
        tell(FIRST, 40, 0);
        clock.advance(Duration.ofMillis(WriterCounts.STALE_MILLIS - WriterCounts.LOOK_MILLIS));
        tell(SECOND, 6, 0);
        assertEquals(40, counts.on(FIRST));
        clock.advance(Duration.ofMillis(2 * WriterCounts.LOOK_MILLIS));
        tell(SECOND, 6, 0);
        assertEquals(6, counts.on(FIRST), "neither left out nor flooded");
        counts.granted(FIRST);
        assertEquals(7, counts.on(FIRST));
    }

    @Test
    void serverOfAReleaseThatCountsNoWritersIsTakenForOneOfTheMean() {
        tell(SECOND, 8, 0);
        clock.advance(Duration.ofMillis(WriterCounts.LOOK_MILLIS));
        counts.told(GiveCreditsRequest.newBuilder().setServerId(FIRST.value()).build());
        assertEquals(8, counts.on(FIRST));
    }

    private void tell(ServerId server, int writers, int opened) {
        counts.told(GiveCreditsRequest.newBuilder()
                .setServerId(server.value())
                .setWriters(writers)
                .setWritersOpened(opened)
                .build());
    }
}
