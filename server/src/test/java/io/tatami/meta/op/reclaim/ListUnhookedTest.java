package io.tatami.meta.op.reclaim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.DirectoryId;
import io.tatami.base.SessionId;
import io.tatami.meta.op.tree.wire.ListUnhookedReply;
import io.tatami.meta.op.tree.wire.ListUnhookedRequest;
import io.tatami.meta.op.tree.wire.Unhooked;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.wire.IntentRecord;
import io.tatami.meta.state.wire.WideningRecord;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Directories 11, 12 and 13 are out of the tree under the intents 1, 2 and 3. */
class ListUnhookedTest {
    private static final RequestContext CONTEXT =
            new RequestContext(new Caller("", List.of(), true), SessionId.NONE, 100);

    private final TreeState state = new TreeState(new Draft(new MemoryView()));

    @BeforeEach
    void unhook() {
        for (long id = 11; id <= 13; id++) {
            state.addIntent(IntentRecord.newBuilder().setDirectoryId(id).build());
        }
    }

    @Test
    void directoryWhoseEntriesAreOnTheirWayWaitsAndTheOthersDoNot() {
        state.putWidening(new DirectoryId(11), WideningRecord.getDefaultInstance());
        ListUnhookedReply reply = list(0, 10);
        assertEquals(List.of(12L, 13L), directories(reply));
        assertEquals(1, reply.getOldest());
    }

    @Test
    void oneThatWaitsIsStillThereWhereNoOtherIsAskedFor() {
        state.putWidening(new DirectoryId(11), WideningRecord.getDefaultInstance());
        ListUnhookedReply reply = list(0, 1);
        assertEquals(List.of(), directories(reply));
        assertEquals(1, reply.getOldest());
    }

    @Test
    void thatThereMayBeMoreIsToldAlsoWhereSomeWait() {
        state.putWidening(new DirectoryId(11), WideningRecord.getDefaultInstance());
        assertTrue(list(0, 3).getFull());
        assertFalse(list(0, 4).getFull());
    }

    @Test
    void listsBeginWhereTheLastOneSaidThatTheFirstIs() {
        state.removeIntent(1);
        ListUnhookedReply reply = list(0, 1);
        assertEquals(List.of(12L), directories(reply));
        assertEquals(2, reply.getOldest());
        assertEquals(List.of(12L, 13L), directories(list(reply.getOldest(), 10)));
    }

    @Test
    void afterAllHaveEndedThereIsNoOldest() {
        List.of(1L, 2L, 3L).forEach(state::removeIntent);
        assertEquals(ListUnhookedReply.getDefaultInstance(), list(2, 10));
    }

    private ListUnhookedReply list(long from, int limit) {
        return new ListUnhooked()
                .decide(
                        state,
                        CONTEXT,
                        ListUnhookedRequest.newBuilder()
                                .setFrom(from)
                                .setLimit(limit)
                                .build());
    }

    private static List<Long> directories(ListUnhookedReply reply) {
        return reply.getUnhookedList().stream().map(Unhooked::getDirectoryId).toList();
    }
}
