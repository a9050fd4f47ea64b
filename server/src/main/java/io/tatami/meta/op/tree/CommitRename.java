package io.tatami.meta.op.tree;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.CommitRenameRequest;
import io.tatami.meta.op.tree.wire.Place;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.protocol.wire.Empty;

/**
 * Gives a directory another name and, where an empty one has it, puts it in that one's place. The change must be
 * announced, and the new name reserved or the replaced directory known to hold no file; {@link PlanOutdatedException}
 * where the tree has changed since that was planned.
 */
public final class CommitRename implements Operation<TreeState, CommitRenameRequest, Empty> {
    @Override
    public Empty decide(TreeState state, RequestContext context, CommitRenameRequest commit) throws TatamiException {
        PlanRename.Paths paths = PlanRename.Paths.walk(state, context.caller(), commit.getRequest());
        paths.requireParentOfDestination();
        requirePlanned(paths.source(), commit.getPlan().getSource());
        requirePlanned(paths.destination(), commit.getPlan().getDestination());
        Named source = paths.source().last();
        if (paths.destination().passes(source.id())) {
            throw new TatamiException(
                    ErrorCode.INVALID_ARGUMENT, commit.getRequest().getDestination() + " is under the source");
        }
        Named newParent = paths.destination().ancestor();
        if (paths.destination().isComplete()) {
            state.unhook(paths.destination().last());
        }
        state.remove(source);
        state.put(new Named(newParent.id(), paths.destination().path().name(), source.record()));
        Named oldParent = paths.source().ancestor();
        CommitMkdirs.touch(state, oldParent, context.nowMillis());
        CommitMkdirs.touch(state, newParent, context.nowMillis());
        return Empty.getDefaultInstance();
    }

    private static void requirePlanned(Walk walk, Place planned) throws TatamiException {
        Place place = walk.place();
        if (place.getDirectoryId() != planned.getDirectoryId()
                || place.getSpread() != planned.getSpread()
                || place.getParentId() != planned.getParentId()
                || place.getParentSpread() != planned.getParentSpread()) {
            throw new PlanOutdatedException(walk.path().toString());
        }
    }
}
