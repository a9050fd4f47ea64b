package io.tatami.meta.op.tree;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.protocol.wire.CheckDirectoryReply;
import io.tatami.protocol.wire.CheckDirectoryRequest;

/** Whether some directory has a name. The version that belongs to the answer is the leader's to give. */
public final class CheckDirectory implements Operation<TreeState, CheckDirectoryRequest, CheckDirectoryReply> {
    @Override
    public CheckDirectoryReply decide(TreeState state, RequestContext context, CheckDirectoryRequest request) {
        boolean exists = state.directory(new DirectoryId(request.getParentId()), request.getName()) != null;
        return CheckDirectoryReply.newBuilder().setExists(exists).build();
    }
}
