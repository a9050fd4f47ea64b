package io.tatami.meta.op.tree;

import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.CommitDeleteRequest;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.protocol.wire.DeleteDirectoryReply;

/**
 * Takes a directory with all below it out of the tree, in constant time. The change must be announced and, unless the
 * deletion is recursive, no shard may hold a file of the directory; {@link PlanOutdatedException} where another
 * directory has the path now, or where the directory was divided further since its shards were asked.
 */
public final class CommitDelete implements Operation<TreeState, CommitDeleteRequest, DeleteDirectoryReply> {
    @Override
    public DeleteDirectoryReply decide(TreeState state, RequestContext context, CommitDeleteRequest commit)
            throws TatamiException {
        Walk walk = PlanDelete.walk(state, context.caller(), commit.getRequest());
        Named directory = walk.last();
        boolean isPlanned = directory.id().value() == commit.getDirectoryId()
                && directory.record().getSpread() == commit.getSpread();
        if (!isPlanned) {
            throw new PlanOutdatedException(walk.path().toString());
        }
        if (!commit.getRequest().getRecursive() && state.hasChildren(directory.id())) {
            throw PlanDelete.notEmpty(walk.path().toString());
        }
        state.unhook(directory);
        CommitMkdirs.touch(state, walk.ancestor(), context.nowMillis());
        return DeleteDirectoryReply.getDefaultInstance();
    }
}
