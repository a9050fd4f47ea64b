package io.tatami.meta.op.rename;

import io.tatami.base.Check;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.rename.RenameRules.End;
import io.tatami.meta.op.rename.RenameRules.Ends;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.CommitMoveRequest;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.wire.Empty;

/**
 * Step 3 of a rename across shards, at the destination: the moment of the rename. From here on the entry has its new
 * name, and the old name is free. Both handles are checked again, against this shard's gate, which knows of every
 * committed change that concerns them: as the destination's own shard, and as one to which an entry is on its way. So a
 * rename never leaves or enters a directory that is gone. Fails with BUSY if the move was aborted meanwhile.
 */
public final class CommitMove implements Operation<ShardState, CommitMoveRequest, Empty> {
    private final RenameRules rules;

    public CommitMove(HandleCheck handles) {
        this.rules = new RenameRules(handles);
    }

    @Override
    public Empty decide(ShardState state, RequestContext context, CommitMoveRequest request)
            throws TatamiException, UnsettledException {
        TransactionId transaction = new TransactionId(request.getTransactionId());
        TransactionRecord pending = state.transaction(transaction);
        if (pending == null) {
            throw new TatamiException(ErrorCode.BUSY, "the move was aborted by another one");
        }
        Check.check(!pending.getCommitted(), "move %s is committed twice", transaction);
        Ends ends = rules.ends(state, context, request.getRename());
        End destination = ends.destination();
        EntryRecord record = state.entry(destination.directory(), destination.name());
        Check.check(
                record != null && record.getArrivingTransaction() == transaction.value(),
                "%s lost the mark of move %s",
                destination.name(),
                transaction);
        RenameFile.put(
                state,
                destination,
                HomeName.current(state, RenameRules.renamed(request.getEntry())),
                MoveMarks.standing(record),
                context.nowMillis());
        state.putTransaction(
                transaction,
                pending.toBuilder()
                        .setCommitted(true)
                        .setMark(request.getMark())
                        .build());
        EndMoves.end(state, request.getEnded());
        return Empty.getDefaultInstance();
    }
}
