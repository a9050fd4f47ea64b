package io.tatami.meta.op.cluster;

import io.tatami.base.ServerId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.CreditRecord;
import io.tatami.protocol.wire.GiveCreditsReply;
import io.tatami.protocol.wire.GiveCreditsRequest;

/**
 * Adds a block server's gift to what the shard may place there; a gift counts once, by its sequence. The answer names
 * the shard's newest block.
 */
public final class GiveCredits implements Operation<ShardState, GiveCreditsRequest, GiveCreditsReply> {
    /** More than any server should give: a bound on the harm of one that counts wrong. */
    private static final int CREDITS_MAX = 4_096;

    @Override
    public GiveCreditsReply decide(ShardState state, RequestContext context, GiveCreditsRequest request) {
        ServerId server = new ServerId(request.getServerId());
        CreditRecord credit = state.credit(server);
        if (Long.compareUnsigned(request.getSequence(), credit.getSequence()) > 0 && request.getBlocks() > 0) {
            credit = credit.toBuilder()
                    .setSequence(request.getSequence())
                    .setBlocks(Math.min(CREDITS_MAX, credit.getBlocks() + request.getBlocks()))
                    .build();
            state.putCredit(server, credit);
        }
        return GiveCreditsReply.newBuilder()
                .setLeft(credit.getBlocks())
                .setNewestBlockId(state.newestBlock().value())
                .build();
    }
}
