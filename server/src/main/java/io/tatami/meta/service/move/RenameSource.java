package io.tatami.meta.service.move;

import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.op.UnsettledException.EntriesLeaving;
import io.tatami.meta.op.UnsettledException.EntryLeaving;
import io.tatami.meta.op.rename.FinishMoves;
import io.tatami.meta.op.rename.ListMoves;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.MoveMark;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.FinishMovesRequest;
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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The source's side of renames across shards: entries of this shard that are marked as leaving. A reader or writer that
 * meets such an entry waits until the destination has said how the move ended, and the result is applied here. The
 * source never aborts a move. Safe for use by many threads.
 */
final class RenameSource {
    private static final Duration REST = Duration.ofSeconds(1);
    private static final ListMoves LIST = new ListMoves();
    private static final FinishMoves FINISH = new FinishMoves();

    private final Group<ShardState> group;
    private final GroupPeers peers;

    /** Entries that were leaving at the last look-through; touched only by the background task's runs. */
    private Set<EntryLeaving> leaving = Set.of();

    RenameSource(PartContext<ShardState> parts) {
        this.group = parts.group();
        this.peers = parts.peers();
    }

    /** Completes once the entry is gone or its mark is. */
    CompletableFuture<Void> settle(EntryLeaving question) {
        return settle(List.of(question)).thenCompose(RenameSource::requireEnded);
    }

    /** Completes once those whose moves have ended are gone, or their marks are: in one commit. */
    CompletableFuture<Void> settle(EntriesLeaving question) {
        return settle(question.entries()).thenApply(pending -> null);
    }

    /** The flow of SETTLE_MOVES. Of more moves than {@link ListMoves} tells of, the oldest. */
    CompletableFuture<Empty> settle(RequestOrigin origin, SettleMovesRequest request) {
        Set<Long> directories = new HashSet<>(request.getDirectoryIdList());
        return group.read(LIST, origin, ListMovesRequest.getDefaultInstance())
                .thenCompose(moves -> settle(moves.getMoveList().stream()
                        .filter(move -> directories.contains(move.getRecord().getSourceParentId()))
                        .map(RenameSource::entryOf)
                        .toList()))
                .thenCompose(RenameSource::requireEnded)
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
        List<EntryLeaving> again = new ArrayList<>();
        for (OpenMove move : moves.getMoveList()) {
            EntryLeaving entry = entryOf(move);
            found.add(entry);
            if (leaving.contains(entry)) {
                again.add(entry);
            }
        }
        leaving = found;
        return settle(again).thenApply(pending -> REST);
    }

    /**
     * Asks the destinations how the moves ended, and carries that out in one commit. Completes with those that have not
     * ended; fails where a destination does not answer, after what the others say was carried out.
     */
    private CompletableFuture<List<EntryLeaving>> settle(List<EntryLeaving> entries) {
        List<CompletableFuture<MoveStatusReply>> asked = new ArrayList<>();
        for (EntryLeaving entry : entries) {
            MoveStatusRequest ask = MoveStatusRequest.newBuilder()
                    .setTransactionId(entry.transaction().value())
                    .setSourceGroup(group.id().value())
                    .setMark(entry.mark().value())
                    .build();
            asked.add(peers.call(entry.to(), MetaMethods.MOVE_STATUS, ask));
        }
        CompletableFuture<Void> all = CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new));
        return all.exceptionally(failure -> null)
                .thenCompose(answered -> carryOut(entries, asked))
                .thenCombine(all, (pending, answered) -> pending);
    }

    private CompletableFuture<List<EntryLeaving>> carryOut(
            List<EntryLeaving> entries, List<CompletableFuture<MoveStatusReply>> asked) {
        List<EntryLeaving> pending = new ArrayList<>();
        FinishMovesRequest.Builder ended = FinishMovesRequest.newBuilder();
        for (int i = 0; i < entries.size(); i++) {
            if (asked.get(i).isCompletedExceptionally()) {
                continue;
            }
            MoveStatusReply status = asked.get(i).join();
            if (status.getPending()) {
                pending.add(entries.get(i));
            } else {
                ended.addMove(finish(entries.get(i), status.getCommitted()));
            }
        }
        return ended.getMoveCount() == 0
                ? CompletableFuture.completedFuture(pending)
                : group.submit(FINISH, RequestOrigin.SERVICE, ended.build()).thenApply(done -> pending);
    }

    private static FinishMoveRequest finish(EntryLeaving entry, boolean committed) {
        return FinishMoveRequest.newBuilder()
                .setTransactionId(entry.transaction().value())
                .setCommitted(committed)
                .setParentId(entry.parent().value())
                .setName(entry.name())
                .setMark(entry.mark().value())
                .build();
    }

    private static CompletableFuture<Void> requireEnded(List<EntryLeaving> pending) {
        return pending.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : CompletableFuture.failedFuture(new TatamiException(
                        ErrorCode.BUSY, pending.get(0).name() + " is being moved to another shard"));
    }

    private static EntryLeaving entryOf(OpenMove move) {
        TransactionRecord record = move.getRecord();
        return new EntryLeaving(
                new DirectoryId(record.getSourceParentId()),
                record.getSourceName(),
                new TransactionId(move.getTransactionId()),
                new MoveMark(record.getMark()),
                new GroupId(record.getOtherGroup()));
    }
}
