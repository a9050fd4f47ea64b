package io.tatami.meta.op.tree;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.DeletePlan;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.protocol.wire.DeleteDirectoryRequest;

/** Which directory a deletion concerns, and whether the caller may remove it from its parent. */
public final class PlanDelete implements Operation<TreeState, DeleteDirectoryRequest, DeletePlan> {
    @Override
    public DeletePlan decide(TreeState state, RequestContext context, DeleteDirectoryRequest request)
            throws TatamiException {
        Walk walk = walk(state, context.caller(), request);
        Named directory = walk.last();
        return DeletePlan.newBuilder()
                .setPlace(walk.place())
                .setAttributes(directory.record().getAttributes())
                .setHasChildDirectories(state.hasChildren(directory.id()))
                .build();
    }

    /** @throws TatamiException PERMISSION_DENIED, NOT_FOUND, or INVALID_ARGUMENT for the root */
    static Walk walk(TreeState state, Caller caller, DeleteDirectoryRequest request) throws TatamiException {
        Walk walk = Walk.along(state, caller, TreePath.parse(request.getPath()));
        walk.requireRemovable(caller);
        walk.found();
        if (walk.path().isRoot()) {
            throw new TatamiException(ErrorCode.INVALID_ARGUMENT, "the root directory cannot be deleted");
        }
        return walk;
    }

    public static TatamiException notEmpty(String path) {
        return new TatamiException(ErrorCode.NOT_EMPTY, path + " is non empty");
    }
}
