package io.tatami.meta.service.move;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.UnsettledException.EntryLeaving;
import io.tatami.meta.op.move.FinishMove;
import io.tatami.meta.op.move.ListMoves;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupParts;
import io.tatami.meta.service.Peers;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.wire.ListMovesReply;
import io.tatami.meta.state.wire.ListMovesRequest;
import io.tatami.meta.state.wire.OpenMove;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.FinishMoveRequest;
import io.tatami.protocol.wire.MoveStatusReply;
import io.tatami.protocol.wire.MoveStatusRequest;
import io.tatami.protocol.wire.SettleMovesRequest;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The source's side of renames across shards: entries of this shard that are marked as leaving. Readers and writers who
 * meet one wait until its destination has said how the move ended, and that is carried out here; nobody at the source
 * aborts a move. Safe for use by many threads.
 */
final class LeavingEntries {
    private static final Duration REST = Duration.ofSeconds(1);
    private static final ListMoves LIST = new ListMoves();
    private static final FinishMove FINISH = new FinishMove();

    private final Group<ShardState> group;
    private final Peers peers;

    /** Entries that were leaving at the last look-through; touched only by the background task's runs. */
    private Set<EntryLeaving> leaving = Set.of();

    LeavingEntries(GroupParts<ShardState> parts) {
        this.group = parts.group();
        this.peers = parts.peers();
    }

    /** Completes once the entry is gone or its mark is. */
    CompletableFuture<Void> settle(EntryLeaving question) {
        MoveStatusRequest ask = MoveStatusRequest.newBuilder()
                .setTransactionId(question.transaction())
                .setSourceGroup(group.id().value())
                .setMark(question.mark())
                .build();
        return peers.call(new GroupId(question.toGroup()), MetaMethods.MOVE_STATUS, ask)
                .thenCompose(status -> carryOut(question, status));
    }

    /** The flow of SETTLE_MOVES. Of more moves than {@link ListMoves} tells of, the oldest. */
    CompletableFuture<Empty> settle(RequestOrigin origin, SettleMovesRequest request) {
        Set<Long> directories = new HashSet<>(request.getDirectoryIdList());
        return group.read(LIST, origin, ListMovesRequest.getDefaultInstance())
                .thenCompose(moves -> CompletableFuture.allOf(moves.getMoveList().stream()
                        .filter(move -> directories.contains(move.getRecord().getSourceParentId()))
                        .map(move -> settle(entryOf(move)))
                        .toArray(CompletableFuture<?>[]::new)))
                .thenApply(settled -> Empty.getDefaultInstance());
    }

    /** The background task: settles what nobody has met and whose coordinator went silent. */
    CompletableFuture<Duration> sweep() {
        return group.read(LIST, RequestOrigin.SERVICE, ListMovesRequest.getDefaultInstance())
                .thenCompose(this::sweep);
    }

    /** An entry is left alone the first time it is seen: mostly its coordinator is about to finish. */
    private CompletableFuture<Duration> sweep(ListMovesReply moves) {
        Set<EntryLeaving> found = new HashSet<>();
        CompletableFuture<?> all = CompletableFuture.completedFuture(null);
        for (OpenMove move : moves.getMoveList()) {
            EntryLeaving entry = entryOf(move);
            found.add(entry);
            if (leaving.contains(entry)) {
                all = CompletableFuture.allOf(all, settle(entry));
            }
        }
        leaving = found;
        return all.thenApply(done -> REST);
    }

    private static EntryLeaving entryOf(OpenMove move) {
        TransactionRecord record = move.getRecord();
        return new EntryLeaving(
                new DirectoryId(record.getSourceParentId()),
                record.getSourceName(),
                move.getTransactionId(),
                record.getMark(),
                record.getOtherGroup());
    }

    private CompletableFuture<Void> carryOut(EntryLeaving question, MoveStatusReply status) {
        if (status.getPending()) {
            return CompletableFuture.failedFuture(
                    new TatamiException(ErrorCode.BUSY, question.name() + " is being moved to another shard"));
        }
        FinishMoveRequest finish = FinishMoveRequest.newBuilder()
                .setTransactionId(question.transaction())
                .setCommitted(status.getCommitted())
                .setParentId(question.parent().value())
                .setName(question.name())
                .setMark(question.mark())
                .build();
        return group.submit(FINISH, RequestOrigin.SERVICE, finish).thenApply(done -> null);
    }
}
