package io.tatami.meta.op.tree;

import io.tatami.base.TatamiException;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.protocol.wire.GetDirectoryReply;
import io.tatami.protocol.wire.GetDirectoryRequest;

/** What the tree knows of the directory with a path; NOT_FOUND where there is none, though there may be a file. */
public final class GetDirectory implements Operation<TreeState, GetDirectoryRequest, GetDirectoryReply> {
    @Override
    public GetDirectoryReply decide(TreeState state, RequestContext context, GetDirectoryRequest request)
            throws TatamiException {
        Walk walk = Walk.along(state, context.caller(), TreePath.parse(request.getPath()));
        return GetDirectoryReply.newBuilder()
                .setStatus(DirectoryStatus.of(walk.found(), context.caller()))
                .build();
    }
}
