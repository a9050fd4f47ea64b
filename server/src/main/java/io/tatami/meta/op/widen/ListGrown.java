package io.tatami.meta.op.widen;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.DirectorySliceRecord;
import io.tatami.meta.state.wire.GrownDirectory;
import io.tatami.meta.state.wire.GrownReply;
import io.tatami.meta.state.wire.GrownRequest;
import io.tatami.meta.state.wire.GrowthRecord;

/** Some of the directories whose part here has changed often, with how large it is now. Changes nothing. */
public final class ListGrown implements Operation<ShardState, GrownRequest, GrownReply> {
    @Override
    public GrownReply decide(ShardState state, RequestContext context, GrownRequest request) {
        GrownReply.Builder reply = GrownReply.newBuilder();
        byte[] prefix = Keys.kind('n');
        try (View.Cursor cursor = state.draft().scan(prefix, Keys.after(prefix))) {
            while (reply.getDirectoryCount() < request.getLimit() && cursor.next()) {
                GrowthRecord growth = ShardState.parse(cursor.value(), GrowthRecord.parser());
                long directory = Keys.idOf(cursor.key());
                DirectorySliceRecord share = state.slice(new DirectoryId(directory));
                reply.addDirectory(GrownDirectory.newBuilder()
                        .setDirectoryId(directory)
                        .setSpread(growth.getSpread())
                        .setEntries(share.getFiles() + share.getSymlinks())
                        .setChanges(share.getChanges()));
            }
        }
        return reply.build();
    }
}
