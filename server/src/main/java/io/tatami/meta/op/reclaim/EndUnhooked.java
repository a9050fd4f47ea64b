package io.tatami.meta.op.reclaim;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.EndUnhookedRequest;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.meta.state.wire.IntentRecord;
import io.tatami.protocol.wire.Empty;
import java.util.List;

/**
 * Goes on below unhooked directories whose entries the shards have taken over: unhooks some of the sub-directories of
 * each, and ends the intent of one that has no more. Repeated calls come to an end however large the subtree is, and no
 * single one is long.
 */
public final class EndUnhooked implements Operation<TreeState, EndUnhookedRequest, Empty> {
    private static final int CHILDREN_MAX = 256;

    @Override
    public Empty decide(TreeState state, RequestContext context, EndUnhookedRequest request) {
        int left = CHILDREN_MAX;
        for (long number : request.getNumberList()) {
            IntentRecord intent = state.intent(number);
            if (intent == null || left == 0) {
                continue;
            }
            List<Named> children = state.children(new DirectoryId(intent.getDirectoryId()), "", left);
            children.forEach(state::unhook);
            if (children.size() < left) {
                state.removeIntent(number);
            }
            left -= children.size();
        }
        return Empty.getDefaultInstance();
    }
}
