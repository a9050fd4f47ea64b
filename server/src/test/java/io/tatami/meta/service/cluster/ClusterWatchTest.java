package io.tatami.meta.service.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.tatami.meta.state.wire.BlockServerRecord;
import io.tatami.protocol.wire.BlockServerInfo.State;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class ClusterWatchTest {
    private static final BlockServerRecord PLAIN = BlockServerRecord.getDefaultInstance();

    private static State after(long silentSeconds, BlockServerRecord record, boolean leaving) {
        return ClusterWatch.state(record, 1_000, TimeUnit.SECONDS.toNanos(silentSeconds), leaving);
    }

    private static BlockServerRecord in(State state) {
        return PLAIN.toBuilder()
                .setState(state.getNumber())
                .setMaintenanceUntilMillis(1_001)
                .build();
    }

    @Test
    void aSilentServerIsStaleAfterTenSecondsAndDeadAfterSixty() {
        assertEquals(State.ACTIVE, after(9, PLAIN, false));
        assertEquals(State.STALE, after(10, PLAIN, false));
        assertEquals(State.STALE, after(59, PLAIN, false));
        assertEquals(State.DEAD, after(60, PLAIN, false));
    }

    @Test
    void aServerThatLeavesIsStaleAtOnceAndDeadNoSooner() {
        assertEquals(State.STALE, after(0, PLAIN, true));
        assertEquals(State.STALE, after(59, PLAIN, true));
        assertEquals(State.DEAD, after(60, PLAIN, true));
    }

    @Test
    void aDrainedServerIsStaleAndDeadAsAnyOther() {
        assertEquals(State.DRAINING, after(0, in(State.DRAINING), false));
        assertEquals(State.STALE, after(10, in(State.DRAINING), false));
        assertEquals(State.DEAD, after(60, in(State.DRAINING), false));
    }

    @Test
    void aMaintenanceLastsUntilItsLogTimeWhetherTheServerIsThereOrNot() {
        assertEquals(State.MAINTENANCE, after(0, in(State.MAINTENANCE), false));
        assertEquals(State.MAINTENANCE, after(600, in(State.MAINTENANCE), false));
        BlockServerRecord over = in(State.MAINTENANCE).toBuilder()
                .setMaintenanceUntilMillis(1_000)
                .build();
        assertEquals(State.ACTIVE, after(0, over, false));
        assertEquals(State.DEAD, after(60, over, false));
    }

    @Test
    void aServerThatWasGivenUpIsGoneWhateverItSays() {
        assertEquals(State.GONE, after(0, in(State.GONE), false));
        assertEquals(State.GONE, after(600, in(State.GONE), false));
    }
}
