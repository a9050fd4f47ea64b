package io.tatami.meta.op.rename;

import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.EndMovesRequest;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.wire.Empty;

/**
 * Step 5 of renames across shards, at the destination. The sources have finished durably, so the records of the moves
 * are removed. Done with the commit of a later move ({@link CommitMove}), or alone.
 */
public final class EndMoves implements Operation<ShardState, EndMovesRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, EndMovesRequest request) {
        end(state, request);
        return Empty.getDefaultInstance();
    }

    static void end(ShardState state, EndMovesRequest request) {
        for (long id : request.getTransactionIdList()) {
            TransactionId transaction = new TransactionId(id);
            TransactionRecord move = state.transaction(transaction);
            if (move != null && move.getDestination() && move.getCommitted()) {
                state.removeTransaction(transaction);
            }
        }
    }
}
