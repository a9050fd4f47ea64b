package io.tatami.meta.op.rename;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.op.MoveMarks;
import io.tatami.meta.op.Operation;
import io.tatami.meta.op.UnsettledException;
import io.tatami.meta.op.WriteLease;
import io.tatami.meta.op.rename.RenameRules.End;
import io.tatami.meta.state.Caller;
import io.tatami.meta.state.RequestContext;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.wire.PrepareMoveReply;
import io.tatami.protocol.wire.PrepareMoveRequest;
import org.jspecify.annotations.Nullable;

/**
 * Step 2 of a rename across shards, at the source. Marks the entry as leaving, and returns it to the destination. A
 * repeated request gets the same answer.
 *
 * <p>Two moves may each want the name that the other is about to fill. The older one, by its id, goes first: it aborts
 * the younger, which this shard coordinates and which has not committed. The younger waits for the older. (Wound-wait:
 * Rosenkrantz, Stearns and Lewis, "System Level Concurrency Control for Distributed Database Systems", 1978.)
 */
public final class PrepareMove implements Operation<ShardState, PrepareMoveRequest, PrepareMoveReply> {
    private final RenameRules rules;

    public PrepareMove(HandleCheck handles) {
        this.rules = new RenameRules(handles);
    }

    @Override
    public PrepareMoveReply decide(ShardState state, RequestContext context, PrepareMoveRequest request)
            throws TatamiException, UnsettledException {
        Caller caller = new Caller(request.getUser(), request.getUserGroupList(), request.getSuperuser());
        End source;
        try {
            source = rules.sourceFromPeer(state, context, caller, request.getSourceHandle(), request.getSourceName());
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.STALE_HANDLE) {
                return PrepareMoveReply.newBuilder().setStale(true).build();
            }
            throw e;
        }
        if (request.getTransactionId() == 0) {
            // The destination has refused by the very handle that was accepted here, which cannot be.
            return PrepareMoveReply.newBuilder().setStale(true).build();
        }
        TransactionId transaction = new TransactionId(request.getTransactionId());
        EntryRecord record = withoutYoungerArrival(state, source, transaction);
        if (record != null && record.getLeavingTransaction() == transaction.value()) {
            return reply(state, record);
        }
        MoveMarks.requireSettled(source.directory(), source.name(), record);
        EntryRecord standing = MoveMarks.standing(record);
        if (standing != null && standing.hasMarker()) {
            return PrepareMoveReply.newBuilder().setIsDirectory(true).build();
        }
        EntryRecord entry = RenameRules.movable(caller, source, standing, request.getDestinationPath());
        return reply(state, mark(state, source, entry, request, context.nowMillis()));
    }

    private static @Nullable EntryRecord withoutYoungerArrival(
            ShardState state, End source, TransactionId transaction) {
        EntryRecord record = state.entry(source.directory(), source.name());
        if (record == null || record.getArrivingTransaction() <= transaction.value()) {
            return record;
        }
        AbortMove.abort(state, new TransactionId(record.getArrivingTransaction()));
        return state.entry(source.directory(), source.name());
    }

    /**
     * Marks the entry, and sets the directory's modification time now: after the commit no reader may see the old time.
     */
    private static EntryRecord mark(
            ShardState state, End source, EntryRecord entry, PrepareMoveRequest request, long nowMillis) {
        EntryRecord marked = entry.toBuilder()
                .setLeavingTransaction(request.getTransactionId())
                .setLeavingToGroup(request.getDestinationGroup())
                .setLeavingMark(state.mintMark().value())
                .build();
        state.entries().changeName(source.directory(), source.name(), marked, nowMillis);
        state.putTransaction(
                new TransactionId(request.getTransactionId()),
                TransactionRecord.newBuilder()
                        .setOtherGroup(request.getDestinationGroup())
                        .setSourceParentId(source.directory().value())
                        .setSourceName(source.name())
                        .setMark(marked.getLeavingMark())
                        .build());
        return marked;
    }

    private static PrepareMoveReply reply(ShardState state, EntryRecord marked) {
        return PrepareMoveReply.newBuilder()
                .setEntry(WriteLease.forElsewhere(state, RenameRules.unmarked(marked))
                        .toByteString())
                .setMark(marked.getLeavingMark())
                .build();
    }
}
