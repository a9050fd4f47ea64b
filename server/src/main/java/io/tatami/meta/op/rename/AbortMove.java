package io.tatami.meta.op.rename;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.MoveStep;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.wire.MoveStatusReply;

/**
 * Aborts a rename across shards, at the destination: removes its record. Everyone who asks about a move without a
 * record is told that it was aborted. Has no effect on a committed move; the reply says so.
 */
public final class AbortMove implements Operation<ShardState, MoveStep, MoveStatusReply> {
    @Override
    public MoveStatusReply decide(ShardState state, RequestContext context, MoveStep request) {
        return MoveStatusReply.newBuilder()
                .setCommitted(!abort(state, new TransactionId(request.getTransactionId())))
                .build();
    }

    /** Returns false where the move is committed. */
    static boolean abort(ShardState state, TransactionId transaction) {
        TransactionRecord move = state.transaction(transaction);
        if (move == null || !move.getDestination()) {
            return true;
        }
        if (move.getCommitted()) {
            return false;
        }
        state.removeTransaction(transaction);
        DirectoryId directory = new DirectoryId(move.getDestinationParentId());
        EntryRecord record = state.entry(directory, move.getDestinationName());
        if (record != null && record.getArrivingTransaction() == transaction.value()) {
            EntryRecord standing = MoveMarks.standing(record);
            EntryRecord after = standing == null ? null : RenameRules.unmarked(standing);
            state.entries().changeRecord(directory, move.getDestinationName(), after);
        }
        return true;
    }
}
