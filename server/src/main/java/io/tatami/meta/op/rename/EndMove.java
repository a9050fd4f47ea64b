package io.tatami.meta.op.rename;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.MoveStep;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.wire.Empty;

/**
 * Step 5 of a rename across shards, at the destination. The source has finished durably, so the record of the move is
 * removed.
 */
public final class EndMove implements Operation<ShardState, MoveStep, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, MoveStep request) {
        TransactionId transaction = new TransactionId(request.getTransactionId());
        TransactionRecord move = state.transaction(transaction);
        if (move != null && move.getDestination() && move.getCommitted()) {
            state.removeTransaction(transaction);
        }
        return Empty.getDefaultInstance();
    }
}
