package io.tatami.meta.op.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tatami.base.ErrorCode;
import io.tatami.base.SessionId;
import io.tatami.base.TatamiException;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.MemoryView;
import io.tatami.meta.state.RequestContext;
import io.tatami.protocol.wire.SafeModeRequest;
import io.tatami.protocol.wire.SafeModeRequest.Action;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class ChangeSafeModeTest {
    private static final Caller ROOT = new Caller("root", List.of(), true);
    private static final Caller ANNA = new Caller("anna", List.of(), false);

    private final MemoryView view = new MemoryView();

    /** Whether it is on afterwards, with what was decided before in the store. */
    private boolean decide(Caller caller, Action action) throws TatamiException {
        Draft draft = new Draft(view);
        boolean isOn = new ChangeSafeMode()
                .decide(
                        new ClusterState(draft),
                        new RequestContext(caller, SessionId.NONE, 1),
                        SafeModeRequest.newBuilder().setAction(action).build())
                .getOn();
        view.apply(draft);
        return isOn;
    }

    @ParameterizedTest
    @EnumSource(names = {"LEAVE", "FORCE_EXIT"})
    void safeModeStaysOnUntilTheSuperuserLeavesIt(Action leave) throws Exception {
        assertFalse(decide(ANNA, Action.GET));
        assertTrue(decide(ROOT, Action.ENTER));
        assertTrue(decide(ROOT, Action.ENTER));
        assertTrue(decide(ANNA, Action.GET));
        assertFalse(decide(ROOT, leave));
        assertFalse(decide(ANNA, Action.GET));
    }

    @ParameterizedTest
    @EnumSource(names = {"ENTER", "LEAVE", "FORCE_EXIT"})
    void anOrdinaryUserMayNotChangeIt(Action change) throws Exception {
        boolean before = change != Action.ENTER;
        if (before) {
            decide(ROOT, Action.ENTER);
        }
        TatamiException refused = assertThrows(TatamiException.class, () -> decide(ANNA, change));
        assertEquals(ErrorCode.PERMISSION_DENIED, refused.code());
        assertEquals(before, decide(ANNA, Action.GET));
    }

    @Test
    void enteringItTwiceWritesOneRecord() throws Exception {
        decide(ROOT, Action.ENTER);
        Draft draft = new Draft(view);
        var unused = new ChangeSafeMode()
                .decide(
                        new ClusterState(draft),
                        new RequestContext(ROOT, SessionId.NONE, 1),
                        SafeModeRequest.newBuilder().setAction(Action.ENTER).build());
        assertTrue(draft.isEmpty());
    }
}
