package io.tatami.meta.service.tree.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.tatami.meta.service.tree.TreeCluster;
import io.tatami.meta.service.tree.flow.RestingWalks.Key;
import io.tatami.meta.state.Caller;
import io.tatami.protocol.wire.ContentSummaryRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RestingWalksTest {
    private final TreeCluster.AheadClock clock = new TreeCluster.AheadClock();
    private final List<String> forgotten = new ArrayList<>();
    private final RestingWalks<String> walks = new RestingWalks<>(clock, forgotten::add);

    private static Key key(String user, long number) {
        return new Key(
                new Caller(user, List.of("staff"), false),
                ContentSummaryRequest.newBuilder().setUnfinished(number).build());
    }

    @Test
    void isTakenOnceAndByWhoLeftIt() {
        walks.rest(key("ann", 1), "walk");
        assertNull(walks.take(key("bob", 1)));
        assertNull(walks.take(key("ann", 2)));
        assertEquals("walk", walks.take(key("ann", 1)));
        assertNull(walks.take(key("ann", 1)));
        assertEquals(List.of(), forgotten);
    }

    @Test
    void isForgottenWhenNobodyCame() {
        walks.rest(key("ann", 1), "old");
        clock.goAhead(Duration.ofSeconds(50));
        walks.rest(key("ann", 2), "young");
        walks.run().join();
        assertEquals(List.of(), forgotten);
        clock.goAhead(Duration.ofSeconds(10));
        walks.run().join();
        assertEquals(List.of("old"), forgotten);
        assertNull(walks.take(key("ann", 1)));
        assertEquals("young", walks.take(key("ann", 2)));
    }

    @Test
    void oldestMakesRoomWhereManyRest() {
        for (int i = 0; i < 256; i++) {
            walks.rest(key("ann", i), "walk " + i);
        }
        assertEquals(List.of(), forgotten);
        walks.rest(key("ann", 256), "one more");
        assertEquals(List.of("walk 0"), forgotten);
        assertEquals("walk 1", walks.take(key("ann", 1)));
    }
}
