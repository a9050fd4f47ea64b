package io.tatami.meta.op.reclaim;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.ListUnhookedReply;
import io.tatami.meta.op.tree.wire.ListUnhookedRequest;
import io.tatami.meta.op.tree.wire.Unhooked;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.TreeState.Intent;
import java.util.List;

/**
 * The oldest directories that are out of the tree and still have to be reclaimed. One whose entries are still on their
 * way between shards waits until they are not.
 */
public final class ListUnhooked implements Operation<TreeState, ListUnhookedRequest, ListUnhookedReply> {
    @Override
    public ListUnhookedReply decide(TreeState state, RequestContext context, ListUnhookedRequest request) {
        List<Intent> intents = state.intents(request.getFrom(), request.getLimit());
        ListUnhookedReply.Builder reply = ListUnhookedReply.newBuilder()
                .setOldest(intents.isEmpty() ? 0 : intents.get(0).number())
                .setFull(intents.size() == request.getLimit());
        for (Intent intent : intents) {
            if (state.widening(new DirectoryId(intent.record().getDirectoryId())) != null) {
                continue;
            }
            reply.addUnhooked(Unhooked.newBuilder()
                    .setNumber(intent.number())
                    .setDirectoryId(intent.record().getDirectoryId())
                    .setSpread(intent.record().getSpread()));
        }
        return reply.build();
    }
}
