package io.tatami.meta.op.outbox;

import io.tatami.base.GroupId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.AckOutboxRequest;
import io.tatami.protocol.wire.Empty;

/** Drops the messages that their group has applied. */
public final class AckOutbox implements Operation<ShardState, AckOutboxRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, AckOutboxRequest request) {
        state.removeOutbox(new GroupId(request.getToGroup()), request.getAfter(), request.getUpTo());
        return Empty.getDefaultInstance();
    }
}
