package io.tatami.meta.op.reclaim;

import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.Keys;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.View;
import io.tatami.meta.state.wire.CloseServerReply;
import io.tatami.meta.state.wire.CloseServerRequest;
import io.tatami.meta.state.wire.CreditRecord;

/**
 * Has no block placed on a server from now on, whatever an older cluster map says, or ends that. The drain of a closed
 * server is done once a round of an audit that began after it was closed has found none of the shard's blocks, and the
 * shard has none recorded there. Changes nothing where all that is so already.
 */
public final class CloseServer implements Operation<ShardState, CloseServerRequest, CloseServerReply> {
    @Override
    public CloseServerReply decide(ShardState state, RequestContext context, CloseServerRequest request) {
        ServerId server = new ServerId(request.getServerId());
        CreditRecord before = state.credit(server);
        CreditRecord now = changed(state, before, request);
        if (!now.equals(before)) {
            state.putCredit(server, now);
        }
        boolean hasBlocks = hasBlocks(state, server);
        return CloseServerReply.newBuilder()
                .setHasBlocks(hasBlocks)
                .setDrained(!hasBlocks && state.isFoundEmpty(server))
                .build();
    }

    private static CreditRecord changed(ShardState state, CreditRecord before, CloseServerRequest request) {
        if (!request.getClosed()) {
            return before.toBuilder().clearClosedRound().clearEmptyRound().build();
        }
        if (before.getClosedRound() == 0) {
            return before.toBuilder()
                    .setClosedRound(state.newestAuditRound() + 1)
                    .clearEmptyRound()
                    .build();
        }
        return request.getEmptyRound() > before.getEmptyRound()
                ? before.toBuilder().setEmptyRound(request.getEmptyRound()).build()
                : before;
    }

    private static boolean hasBlocks(ShardState state, ServerId server) {
        byte[] prefix = Keys.replicas(server);
        try (View.Cursor cursor = state.draft().scan(prefix, Keys.after(prefix))) {
            return cursor.next();
        }
    }
}
