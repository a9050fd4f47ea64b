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
        counts.told(telling(FIRST, 4, 2).setWritersOpened(1).build());
        assertEquals(4, counts.on(FIRST));
    }

    @Test
    void writerThatEndsWhileTheServerTellsIsTakenOffOnce() {
        tell(FIRST, 2, 0);
        counts.ended(FIRST);
        tell(FIRST, 2, 0);
        assertEquals(1, counts.on(FIRST), "its stream is closed a moment after the writer has the answer");
        tellEnded(FIRST, 1, 2);
        assertEquals(1, counts.on(FIRST), "one has ended whose file is not closed yet");
        counts.ended(FIRST);
        assertEquals(1, counts.on(FIRST));
        counts.ended(FIRST);
        assertEquals(0, counts.on(FIRST));
    }

    @Test
    void writerOfAServerThatCountsNoEndsIsTakenOffUntilTheServerTells() {
        tell(FIRST, 2, 0);
        counts.ended(FIRST);
        assertEquals(1, counts.on(FIRST));
        counts.told(GiveCreditsRequest.newBuilder()
                .setServerId(FIRST.value())
                .setWriters(1)
                .build());
        assertEquals(1, counts.on(FIRST));
    }

    @Test
    void serverHasNeverFewerThanNoWriters() {
        tell(FIRST, 1, 0);
        counts.ended(FIRST);
        counts.ended(FIRST);
        assertEquals(0, counts.on(FIRST));
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
        counts.told(telling(server, writers, 0).setWritersOpened(opened).build());
    }

    private void tellEnded(ServerId server, int writers, int ended) {
        counts.told(telling(server, writers, ended).build());
    }

    private static GiveCreditsRequest.Builder telling(ServerId server, int writers, int ended) {
        return GiveCreditsRequest.newBuilder()
                .setServerId(server.value())
                .setWriters(writers)
                .setWritersEnded(ended);
    }
}
