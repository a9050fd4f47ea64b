package io.tatami.meta.op.tree;

import io.tatami.base.TatamiException;
import io.tatami.meta.op.AttributeChanges;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.tree.wire.CommitAttributesRequest;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.protocol.wire.Attributes;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.SetDirectoryAttributesRequest;

/**
 * Changes a directory's attributes. A change that handles depend on must be announced; {@link PlanOutdatedException}
 * where another directory has the path now.
 */
public final class CommitAttributes implements Operation<TreeState, CommitAttributesRequest, Empty> {
    @Override
    public Empty decide(TreeState state, RequestContext context, CommitAttributesRequest commit)
            throws TatamiException {
        SetDirectoryAttributesRequest request = commit.getRequest();
        Walk walk = Walk.along(state, context.caller(), TreePath.parse(request.getPath()));
        Named directory = walk.found();
        if (directory.id().value() != commit.getDirectoryId()) {
            throw new PlanOutdatedException(walk.path().toString());
        }
        Attributes changed = AttributeChanges.apply(
                context.caller(),
                directory.record().getAttributes(),
                Subject.directory(request.getPath()),
                request.getChange());
        state.replaceRecord(new Named(
                directory.parent(),
                directory.name(),
                directory.record().toBuilder().setAttributes(changed).build()));
        return Empty.getDefaultInstance();
    }
}
