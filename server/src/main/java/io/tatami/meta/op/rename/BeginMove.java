package io.tatami.meta.op.rename;

import io.tatami.base.Check;
import io.tatami.base.GroupId;
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
import io.tatami.meta.state.wire.BeginMoveReply;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.wire.RenameFileRequest;

/**
 * Step 1 of a rename across shards, at the destination. Records the move as pending and marks the new name, so that no
 * other operation changes it until the move has ended. Readers see no change yet.
 */
public final class BeginMove implements Operation<ShardState, RenameFileRequest, BeginMoveReply> {
    private final RenameRules rules;

    public BeginMove(HandleCheck handles) {
        this.rules = new RenameRules(handles);
    }

    @Override
    public BeginMoveReply decide(ShardState state, RequestContext context, RenameFileRequest request)
            throws TatamiException, UnsettledException {
        Ends ends = rules.ends(state, context, request);
        End source = ends.source();
        End destination = ends.destination();
        GroupId sourceGroup = source.owner(state.group().getShards());
        Check.check(!sourceGroup.equals(state.id()), "%s is in this shard", source.name());
        EntryRecord record = state.entry(destination.directory(), destination.name());
        MoveMarks.requireSettled(destination.directory(), destination.name(), record);
        EntryRecord replaced = RenameRules.replaceable(context, destination, record, request.getOverwrite());

        TransactionId transaction = state.mintTransaction();
        state.putTransaction(
                transaction,
                TransactionRecord.newBuilder()
                        .setDestination(true)
                        .setOtherGroup(sourceGroup.value())
                        .setSourceParentId(source.directory().value())
                        .setSourceName(source.name())
                        .setDestinationParentId(destination.directory().value())
                        .setDestinationName(destination.name())
                        .setOverwrite(request.getOverwrite())
                        .build());
        EntryRecord.Builder marked = replaced == null ? EntryRecord.newBuilder() : replaced.toBuilder();
        state.entries()
                .changeRecord(
                        destination.directory(),
                        destination.name(),
                        marked.setArrivingTransaction(transaction.value()).build());
        return BeginMoveReply.newBuilder()
                .setTransactionId(transaction.value())
                .setSourceGroup(sourceGroup.value())
                .build();
    }
}
