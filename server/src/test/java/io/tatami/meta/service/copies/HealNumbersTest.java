package io.tatami.meta.service.copies;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.base.ManualClock;
import io.tatami.base.ServerId;
import io.tatami.cluster.BlockHealth;
import io.tatami.cluster.CopyJudge;
import io.tatami.cluster.CopyJudge.Kind;
import io.tatami.cluster.CopyJudge.KnownCopy;
import io.tatami.cluster.CopyJudge.Problem;
import io.tatami.cluster.ServersView;
import io.tatami.cluster.ServersView.Server;
import io.tatami.cluster.ServersView.Standing;
import io.tatami.meta.state.Needs.Urgency;
import io.tatami.protocol.wire.BlockHealthCounts;
import io.tatami.protocol.wire.CopiesStatusReply;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a leader tells of the copies that wait and that were made. */
final class HealNumbersTest {
    private static final BlockHealth LACKS_ONE = new CopyJudge(new ServersView(
                    List.of(
                            new Server(new ServerId(1), "one", "/r", Standing.SERVES, 1, 0),
                            new Server(new ServerId(2), "two", "/r", Standing.SERVES, 1, 0)),
                    false))
            .health(2, List.of(new KnownCopy(new ServerId(1), Kind.COUNTED, Problem.NONE)));

    private final ManualClock clock = new ManualClock();

    private static CopiesStatusReply told(HealRate rate) {
        CopiesStatusReply.Builder status = CopiesStatusReply.newBuilder();
        rate.addTo(status);
        return status.build();
    }

    @Test
    void copiesCountForTheWindowAndNotLonger() {
        HealRate rate = new HealRate(clock);
        for (int i = 0; i < 30; i++) {
            rate.made(100);
            clock.advance(Duration.ofSeconds(1));
        }
        assertEquals(30, told(rate).getCopiesMade());
        assertEquals(3_000, told(rate).getBytesMade());
        assertEquals(30_000, told(rate).getMadeWithinMillis());
        clock.advance(HealRate.WINDOW.minusSeconds(15));
        assertEquals(10, told(rate).getCopiesMade());
        assertEquals(HealRate.WINDOW.toMillis(), told(rate).getMadeWithinMillis());
        clock.advance(HealRate.WINDOW);
        assertEquals(0, told(rate).getCopiesMade());
        assertEquals(0, told(rate).getBytesMade());
    }

    @Test
    void lastSweepOfEachClassCountsAndTheFirstOneWhileItGoesOn() {
        WaitingHealth health = new WaitingHealth();
        health.add(Urgency.LAST_COPY, LACKS_ONE);
        health.add(Urgency.LAST_COPY, LACKS_ONE);
        assertEquals(2, lacking(health));
        health.sweepEnds(Urgency.LAST_COPY);
        health.add(Urgency.LAST_COPY, LACKS_ONE);
        health.add(Urgency.UNDER_REPLICATED, LACKS_ONE);
        assertEquals(3, lacking(health));
        health.sweepEnds(Urgency.LAST_COPY);
        assertEquals(2, lacking(health));
        health.sweepEnds(Urgency.LAST_COPY);
        assertEquals(1, lacking(health));
    }

    private static long lacking(WaitingHealth health) {
        return health.counts().stream()
                .mapToLong(BlockHealthCounts::getCopiesLacking)
                .sum();
    }
}
