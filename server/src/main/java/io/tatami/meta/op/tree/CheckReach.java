package io.tatami.meta.op.tree;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Named;
import io.tatami.protocol.wire.CheckReachReply;
import io.tatami.protocol.wire.CheckReachRequest;
import java.util.HashMap;
import java.util.Map;

/** Which directories a user could come to by their paths, asked by a shard that knows only their ids. */
public final class CheckReach implements Operation<TreeState, CheckReachRequest, CheckReachReply> {
    @Override
    public CheckReachReply decide(TreeState state, RequestContext context, CheckReachRequest request) {
        Caller user = new Caller(request.getUser(), request.getUserGroupList(), false);
        Map<DirectoryId, Boolean> known = new HashMap<>();
        CheckReachReply.Builder reply = CheckReachReply.newBuilder();
        for (long id : request.getDirectoryIdList()) {
            Named directory = state.find(new DirectoryId(id));
            if (directory != null) {
                DirectoryId last = request.getEnter() ? directory.id() : directory.parent();
                if (GetDirectories.isEnterable(state, user, last, known)) {
                    reply.addDirectoryId(id);
                }
            }
        }
        return reply.build();
    }
}
