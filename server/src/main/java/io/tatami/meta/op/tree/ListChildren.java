package io.tatami.meta.op.tree;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.Child;
import io.tatami.meta.op.tree.wire.ChildrenReply;
import io.tatami.meta.op.tree.wire.ChildrenRequest;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;

/** The sub-directories of some directories, for the leader's own walks: nobody's access is checked. */
public final class ListChildren implements Operation<TreeState, ChildrenRequest, ChildrenReply> {
    @Override
    public ChildrenReply decide(TreeState state, RequestContext context, ChildrenRequest request) {
        ChildrenReply.Builder reply = ChildrenReply.newBuilder();
        for (long id : request.getDirectoryIdList()) {
            for (Named child : state.children(new DirectoryId(id), Integer.MAX_VALUE)) {
                reply.addChild(Child.newBuilder()
                        .setParentId(id)
                        .setDirectoryId(child.id().value())
                        .setName(child.name())
                        .setSpread(child.record().getSpread())
                        .setAttributes(
                                child.record().getAttributes().toBuilder().clearXattr()));
            }
        }
        return reply.build();
    }
}
