package io.tatami.meta.op.tree;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Access;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.MkdirsPlan;
import io.tatami.meta.op.tree.wire.Refusal;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.protocol.RefusalFormat;
import io.tatami.protocol.wire.MkdirsRequest;

/** What mkdirs would have to make, and whether it may. */
public final class PlanMkdirs implements Operation<TreeState, MkdirsRequest, MkdirsPlan> {
    @Override
    public MkdirsPlan decide(TreeState state, RequestContext context, MkdirsRequest request) throws TatamiException {
        TreePath path = TreePath.parse(request.getPath());
        path.requireAllowedLengths();
        Walk walk = Walk.along(state, context.caller(), path);
        if (walk.isComplete()) {
            return MkdirsPlan.getDefaultInstance();
        }
        MkdirsPlan.Builder plan = MkdirsPlan.newBuilder().setFirst(walk.place()).setMissing(walk.missing());
        try {
            requireAllowed(walk, context.caller(), request);
        } catch (TatamiException e) {
            plan.setRefusal(refusal(e));
        }
        return plan.build();
    }

    /** @throws TatamiException PERMISSION_DENIED or NOT_FOUND; only for a walk that is not complete */
    static void requireAllowed(Walk walk, Caller caller, MkdirsRequest request) throws TatamiException {
        walk.require(caller, walk.last(), Access.WRITE);
        if (!request.getCreateParents() && walk.missing() > 1) {
            throw new TatamiException(
                    ErrorCode.NOT_FOUND,
                    "Parent directory doesn't exist: "
                            + walk.path().prefix(walk.path().length() - 1));
        }
    }

    static Refusal refusal(TatamiException failure) {
        return Refusal.newBuilder()
                .setRefusal(RefusalFormat.of(failure, Integer.MAX_VALUE))
                .setMessage(String.valueOf(failure.getMessage()))
                .build();
    }
}
