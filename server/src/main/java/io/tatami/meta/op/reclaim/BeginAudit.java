package io.tatami.meta.op.reclaim;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.BeginAuditReply;
import io.tatami.protocol.wire.Empty;

/** Numbers a round and draws its line: blocks minted later are not judged by it, so that no clock has to be. */
public final class BeginAudit implements Operation<ShardState, Empty, BeginAuditReply> {
    @Override
    public BeginAuditReply decide(ShardState state, RequestContext context, Empty request) {
        return BeginAuditReply.newBuilder()
                .setRound(state.mintAuditRound())
                .setUpToBlockId(state.newestBlock().value())
                .build();
    }
}
