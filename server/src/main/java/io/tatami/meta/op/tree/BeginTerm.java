package io.tatami.meta.op.tree;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.BeginTermReply;
import io.tatami.meta.op.tree.wire.BeginTermRequest;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.wire.DirectoryRecord;
import io.tatami.protocol.wire.Attributes;

/**
 * The first commit of a leader: versions of its term are above all that were announced before. Also makes the root of a
 * tree that has none, and notes that it is still without its first directories.
 */
public final class BeginTerm implements Operation<TreeState, BeginTermRequest, BeginTermReply> {
    private static final int ROOT_MODE = 0755;

    @Override
    public BeginTermReply decide(TreeState state, RequestContext context, BeginTermRequest request) {
        if (!state.hasRoot()) {
            state.putRoot(DirectoryRecord.newBuilder()
                    .setDirectoryId(DirectoryId.ROOT.value())
                    .setSpread(1)
                    .setAttributes(Attributes.newBuilder()
                            .setOwner(request.getOwner())
                            .setGroup(request.getGroup())
                            .setMode(ROOT_MODE)
                            .setModifiedMillis(context.nowMillis()))
                    .build());
            state.setFirstDirectory(FirstDirectories.FIRST);
        }
        return BeginTermReply.newBuilder().setTerm(state.beginTerm()).build();
    }
}
