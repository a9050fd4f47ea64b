package io.tatami.meta.op.widen;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.GrownDirectory;
import io.tatami.meta.state.wire.GrownReply;
import io.tatami.protocol.wire.Empty;

/** These directories were looked at; what changes further is noted again. */
public final class ForgetGrown implements Operation<ShardState, GrownReply, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, GrownReply lookedAt) {
        for (GrownDirectory directory : lookedAt.getDirectoryList()) {
            state.removeGrowth(new DirectoryId(directory.getDirectoryId()));
        }
        return Empty.getDefaultInstance();
    }
}
