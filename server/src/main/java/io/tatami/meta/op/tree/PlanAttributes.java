package io.tatami.meta.op.tree;

import io.tatami.base.TatamiException;
import io.tatami.meta.op.AttributeChanges;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.tree.wire.AttributesPlan;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.protocol.wire.AttributeChange;
import io.tatami.protocol.wire.SetDirectoryAttributesRequest;

/** Which directory a change of attributes concerns, whether it is allowed, and whether handles depend on it. */
public final class PlanAttributes implements Operation<TreeState, SetDirectoryAttributesRequest, AttributesPlan> {
    @Override
    public AttributesPlan decide(TreeState state, RequestContext context, SetDirectoryAttributesRequest request)
            throws TatamiException {
        Walk walk = Walk.along(state, context.caller(), TreePath.parse(request.getPath()));
        AttributeChange change = request.getChange();
        AttributeChanges.apply(
                context.caller(), walk.found().record().getAttributes(), Subject.directory(request.getPath()), change);
        return AttributesPlan.newBuilder()
                .setPlace(walk.place())
                .setConcernsHandles(change.hasMode() || change.hasOwner() || change.hasGroup() || change.hasAcl())
                .build();
    }
}
