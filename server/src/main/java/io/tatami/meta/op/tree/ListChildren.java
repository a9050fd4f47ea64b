package io.tatami.meta.op.tree;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.Child;
import io.tatami.meta.op.tree.wire.ChildrenReply;
import io.tatami.meta.op.tree.wire.ChildrenRequest;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import java.util.List;

/**
 * Sub-directories of some directories, a page of all together, for the leader's own walks: nobody's access is checked.
 */
public final class ListChildren implements Operation<TreeState, ChildrenRequest, ChildrenReply> {
    @Override
    public ChildrenReply decide(TreeState state, RequestContext context, ChildrenRequest request) {
        ChildrenReply.Builder reply = ChildrenReply.newBuilder();
        int left = request.getLimit();
        for (ChildrenRequest.From from : request.getFromList()) {
            List<Named> children = state.children(new DirectoryId(from.getDirectoryId()), from.getAfter(), left);
            children.forEach(child -> reply.addChild(child(child)));
            left -= children.size();
            if (left == 0) {
                return reply.setAfter(children.get(children.size() - 1).name()).build();
            }
            reply.setComplete(reply.getComplete() + 1);
        }
        return reply.build();
    }

    private static Child child(Named directory) {
        return Child.newBuilder()
                .setParentId(directory.parent().value())
                .setDirectoryId(directory.id().value())
                .setName(directory.name())
                .setSpread(directory.record().getSpread())
                .setWideningFrom(directory.record().getWideningFrom())
                .setAttributes(directory.record().getAttributes().toBuilder().clearXattr())
                .build();
    }
}
