package io.tatami.meta.op.rename;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.MoveStep;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.wire.Empty;

/** At the destination of a move: the source has finished it durably, so its committed record has served. */
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
