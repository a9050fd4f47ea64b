package io.tatami.meta.op.widen;

import io.tatami.meta.op.Operation;
import io.tatami.meta.op.tree.wire.ListWideningReply;
import io.tatami.meta.op.tree.wire.ListWideningRequest;
import io.tatami.meta.op.tree.wire.WideningDirectory;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.TreeState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.WideningRecord;

/** Some of the directories whose entries are on their way to more shards. Changes nothing. */
public final class ListWidening implements Operation<TreeState, ListWideningRequest, ListWideningReply> {
    @Override
    public ListWideningReply decide(TreeState state, RequestContext context, ListWideningRequest request) {
        ListWideningReply.Builder reply = ListWideningReply.newBuilder();
        byte[] prefix = Keys.kind('h');
        try (View.Cursor cursor = state.draft().scan(prefix, Keys.after(prefix))) {
            while (reply.getDirectoryCount() < request.getLimit() && cursor.next()) {
                WideningRecord widening = TreeState.parse(cursor.value(), WideningRecord.parser());
                reply.addDirectory(WideningDirectory.newBuilder()
                        .setDirectoryId(Keys.idOf(cursor.key()))
                        .setFromSpread(widening.getFromSpread())
                        .setSpread(widening.getSpread()));
            }
        }
        return reply.build();
    }
}
