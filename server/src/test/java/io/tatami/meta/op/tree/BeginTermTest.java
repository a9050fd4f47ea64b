package io.tatami.meta.op.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.SessionId;
import io.tatami.meta.op.tree.wire.BeginTermRequest;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import java.util.List;
import org.junit.jupiter.api.Test;

class BeginTermTest {
    private static final RequestContext CONTEXT =
            new RequestContext(new Caller("", List.of(), true), SessionId.NONE, 100);

    private final Draft draft = new Draft(new MemoryView());
    private final TreeState state = new TreeState(draft);

    @Test
    void firstDirectoriesAreMissingBeforeTheFirstTermAsInIt() {
        assertTrue(TreeState.isFirstDirectoryMissing(draft), "nobody has begun to make them");
        assertEquals(1, begin());
        assertTrue(TreeState.isFirstDirectoryMissing(draft));
    }

    @Test
    void firstDirectoriesThatWereMadeAreNotMissingInLaterTerms() {
        begin();
        state.setFirstDirectory(0);
        assertEquals(2, begin());
        assertFalse(TreeState.isFirstDirectoryMissing(draft));
    }

    private long begin() {
        BeginTermRequest request = BeginTermRequest.newBuilder()
                .setOwner("founder")
                .setGroup("founders")
                .build();
        return new BeginTerm().decide(state, CONTEXT, request).getTerm();
    }
}
