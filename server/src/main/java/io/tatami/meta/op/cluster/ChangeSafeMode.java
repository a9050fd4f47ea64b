package io.tatami.meta.op.cluster;

import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.ClusterState;
import io.tatami.meta.state.RequestContext;
import io.tatami.protocol.wire.SafeModeReply;
import io.tatami.protocol.wire.SafeModeRequest;

/** Tells whether the cluster is in safe mode; the superuser may change it. Survives restarts. */
public final class ChangeSafeMode implements Operation<ClusterState, SafeModeRequest, SafeModeReply> {
    @Override
    public SafeModeReply decide(ClusterState state, RequestContext context, SafeModeRequest request)
            throws TatamiException {
        switch (request.getAction()) {
            case GET, UNRECOGNIZED -> {}
            case ENTER -> change(state, context, true);
            case LEAVE, FORCE_EXIT -> change(state, context, false);
        }
        return SafeModeReply.newBuilder().setOn(state.isSafeMode()).build();
    }

    private static void change(ClusterState state, RequestContext context, boolean on) throws TatamiException {
        Access.requireSuperuser(context.caller(), "change safe mode");
        if (state.isSafeMode() != on) {
            state.setSafeMode(on);
        }
    }
}
