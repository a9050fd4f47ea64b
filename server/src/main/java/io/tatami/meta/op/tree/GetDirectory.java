package io.tatami.meta.op.tree;

import io.tatami.base.DirectoryId;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.Rights;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.protocol.wire.GetDirectoryReply;
import io.tatami.protocol.wire.GetDirectoryRequest;
import io.tatami.protocol.wire.Status;

/** What the tree knows of the directory with a path; NOT_FOUND where there is none, though there may be a file. */
public final class GetDirectory implements Operation<TreeState, GetDirectoryRequest, GetDirectoryReply> {
    private final Rights rights;

    public GetDirectory(Rights rights) {
        this.rights = rights;
    }

    @Override
    public GetDirectoryReply decide(TreeState state, RequestContext context, GetDirectoryRequest request)
            throws TatamiException {
        Walk walk = Walk.along(state, context.caller(), TreePath.parse(request.getPath()));
        Status status = DirectoryStatuses.of(walk.found(), context.caller());
        DirectoryId id = new DirectoryId(status.getId());
        return GetDirectoryReply.newBuilder()
                .setStatus(status.toBuilder().setRight(rights.ofDirectory(context.caller(), id, context.nowMillis())))
                .setWideningFrom(walk.found().record().getWideningFrom())
                .build();
    }
}
