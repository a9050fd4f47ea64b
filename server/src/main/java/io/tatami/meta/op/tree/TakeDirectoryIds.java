package io.tatami.meta.op.tree;

import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.TakeIdsReply;
import io.tatami.meta.op.tree.wire.TakeIdsRequest;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;

/** Takes ids for directories to be made; those that a leader does not use before it ends are never used. */
public final class TakeDirectoryIds implements Operation<TreeState, TakeIdsRequest, TakeIdsReply> {
    @Override
    public TakeIdsReply decide(TreeState state, RequestContext context, TakeIdsRequest request) {
        return TakeIdsReply.newBuilder()
                .setFirstId(state.takeIds(request.getCount()))
                .build();
    }
}
