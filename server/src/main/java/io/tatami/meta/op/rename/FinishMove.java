package io.tatami.meta.op.rename;

import io.tatami.base.DirectoryId;
import io.tatami.meta.op.Operation;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.FinishMoveRequest;

/**
 * Step 4 of a rename across shards, at the source. Removes the entry, or only its mark if the move was aborted. A late
 * request finds another mark or none, and changes nothing. A mark of the same move with another number is from a
 * prepare that came after the end of the move, and has no meaning.
 */
public final class FinishMove implements Operation<ShardState, FinishMoveRequest, Empty> {
    @Override
    public Empty decide(ShardState state, RequestContext context, FinishMoveRequest request) {
        DirectoryId directory = new DirectoryId(request.getParentId());
        EntryRecord record = state.entry(directory, request.getName());
        if (record == null || record.getLeavingTransaction() != request.getTransactionId()) {
            return Empty.getDefaultInstance();
        }
        boolean sameMark = record.getLeavingMark() == request.getMark();
        if (request.getCommitted() && sameMark) {
            state.entries().changeRecord(directory, request.getName(), null);
        } else if (request.getCommitted() || sameMark || request.getMark() == 0) {
            state.entries().changeRecord(directory, request.getName(), RenameRules.unmarked(record));
        } else {
            return Empty.getDefaultInstance();
        }
        state.removeTransaction(new TransactionId(request.getTransactionId()));
        return Empty.getDefaultInstance();
    }
}
