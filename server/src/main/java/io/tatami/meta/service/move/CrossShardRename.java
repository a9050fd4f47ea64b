package io.tatami.meta.service.move;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.Detail;
import io.tatami.base.DirectoryId;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.RefusalSubject;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.gate.HandleCheck;
import io.tatami.meta.gate.HandleSigner;
import io.tatami.meta.op.Subject;
import io.tatami.meta.op.UnsettledException.EntryArriving;
import io.tatami.meta.op.rename.AbortMove;
import io.tatami.meta.op.rename.BeginMove;
import io.tatami.meta.op.rename.CommitMove;
import io.tatami.meta.op.rename.EndMoves;
import io.tatami.meta.op.rename.ListMoves;
import io.tatami.meta.op.rename.MoveStatus;
import io.tatami.meta.op.rename.RenameFile;
import io.tatami.meta.service.Group;
import io.tatami.meta.service.GroupPeers;
import io.tatami.meta.service.PartContext;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.MoveMark;
import io.tatami.meta.state.ShardState;
import io.tatami.meta.state.TransactionId;
import io.tatami.meta.state.wire.BeginMoveReply;
import io.tatami.meta.state.wire.CommitMoveRequest;
import io.tatami.meta.state.wire.EndMovesRequest;
import io.tatami.meta.state.wire.EntryRecord;
import io.tatami.meta.state.wire.ListMovesReply;
import io.tatami.meta.state.wire.ListMovesRequest;
import io.tatami.meta.state.wire.MoveStep;
import io.tatami.meta.state.wire.OpenMove;
import io.tatami.meta.state.wire.TransactionRecord;
import io.tatami.protocol.MetaMethods;
import io.tatami.protocol.Placement;
import io.tatami.protocol.wire.Empty;
import io.tatami.protocol.wire.FinishMoveRequest;
import io.tatami.protocol.wire.Handle;
import io.tatami.protocol.wire.MoveStatusReply;
import io.tatami.protocol.wire.MoveStatusRequest;
import io.tatami.protocol.wire.PrepareMoveReply;
import io.tatami.protocol.wire.PrepareMoveRequest;
import io.tatami.protocol.wire.RenameFileRequest;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Coordinates the renames of files onto names of this shard. A file that comes from another shard is moved in four
 * logged steps:
 *
 * <pre>
 *   destination (here)                       source
 *   BeginMove: pending, name marked
 *                        --- PREPARE_MOVE ->  entry marked as leaving
 *                        &lt;-- its content ---
 *   CommitMove: it happened; the client is answered
 *                        --- FINISH_MOVE -->  entry gone
 *   record gone, with the commit of a later move or by a sweep
 * </pre>
 *
 * <p>After a crash of either side, the records decide: a pending move without a driver is aborted, a committed move is
 * finished. A question about a move is answered when the move has ended, which takes no longer than the wait for the
 * source ({@value #PREPARE_TIMEOUT_MILLIS} ms). Safe for use by many threads.
 */
final class CrossShardRename {
    /** The time, in milliseconds, that the source may take to prepare. */
    static final long PREPARE_TIMEOUT_MILLIS = 5_000;

    private static final RefusalSubject SOURCE_DIRECTORY =
            Subject.directory(RefusalSubject.RequestDirectory.SOURCE).what();

    /** Of a question to the source for which there is no move yet. */
    private static final TransactionId NO_MOVE = new TransactionId(0);

    private static final Duration REST = Duration.ofSeconds(1);
    private static final AbortMove ABORT = new AbortMove();
    private static final EndMoves END = new EndMoves();
    private static final ListMoves LIST = new ListMoves();
    private static final MoveStatus STATUS = new MoveStatus();

    private final Group<ShardState> group;
    private final GroupPeers peers;
    private final HandleSigner signer;
    private final Clock clock;
    private final int shards;
    private final RenameFile renameFile;
    private final BeginMove beginMove;
    private final CommitMove commitMove;

    /** The moves that are driven here, each with a future that completes when it is aborted or committed. */
    private final Map<TransactionId, CompletableFuture<Void>> driven = new ConcurrentHashMap<>();

    private final FinishedMoves finished = new FinishedMoves();

    /** The moves that the last sweep found without a driver; used only by the background task. */
    private Set<TransactionId> orphans = Set.of();

    CrossShardRename(PartContext<ShardState> parts, HandleCheck handles) {
        this.group = parts.group();
        this.peers = parts.peers();
        this.signer = parts.signer();
        this.clock = parts.clock();
        this.shards = parts.record().getShards();
        this.renameFile = new RenameFile(handles);
        this.beginMove = new BeginMove(handles);
        this.commitMove = new CommitMove(handles);
    }

    /** The flow of RENAME_FILE. */
    CompletableFuture<Empty> rename(RequestOrigin origin, RenameFileRequest request) {
        Handle source;
        try {
            source = signer.open(request.getSourceHandle());
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(e);
        }
        GroupId owner = Placement.shardOf(
                new DirectoryId(source.getDirectoryId()), request.getSourceName(), source.getSpread(), shards);
        if (owner.equals(group.id())) {
            return group.submitOnce(MetaMethods.RENAME_FILE, renameFile, origin, request);
        }
        return group.submit(beginMove, origin, request)
                .exceptionallyCompose(refusal -> confirm(refusal, owner, origin, request))
                .thenCompose(
                        begun -> new Move(new TransactionId(begun.getTransactionId()), owner, origin, request).drive());
    }

    /**
     * The source's shard has the last word where this one has refused by the attributes in the source's handle: it
     * hears of no change of the source's directory, so the handle may be old. The source judges the handle before all
     * else, and changes nothing.
     */
    private CompletableFuture<BeginMoveReply> confirm(
            Throwable failure, GroupId owner, RequestOrigin origin, RenameFileRequest request) {
        if (!(Causes.unwrapped(failure) instanceof TatamiException refusal)
                || refusal.code() != ErrorCode.PERMISSION_DENIED
                || !refusal.subject().equals(SOURCE_DIRECTORY)) {
            return CompletableFuture.failedFuture(failure);
        }
        return peers.call(
                        owner,
                        MetaMethods.PREPARE_MOVE,
                        prepareRequest(NO_MOVE, origin, request),
                        timeoutMillis(origin))
                .thenCompose(
                        reply -> CompletableFuture.failedFuture(reply.getStale() ? staleSource(request) : refusal));
    }

    private PrepareMoveRequest prepareRequest(
            TransactionId transaction, RequestOrigin origin, RenameFileRequest request) {
        return PrepareMoveRequest.newBuilder()
                .setTransactionId(transaction.value())
                .setSourceHandle(request.getSourceHandle())
                .setSourceName(request.getSourceName())
                .setDestinationGroup(group.id().value())
                .setDestinationPath(request.getDestinationPath())
                .setUser(origin.caller().user())
                .addAllUserGroup(origin.caller().groups())
                .setSuperuser(origin.caller().superuser())
                .build();
    }

    private long timeoutMillis(RequestOrigin origin) {
        if (origin.deadlineNanos() == RequestOrigin.NO_DEADLINE) {
            return PREPARE_TIMEOUT_MILLIS;
        }
        long left = TimeUnit.NANOSECONDS.toMillis(origin.deadlineNanos() - clock.monotonicNanos());
        return Math.max(1, Math.min(PREPARE_TIMEOUT_MILLIS, left));
    }

    private static TatamiException staleSource(RenameFileRequest request) {
        return new TatamiException(ErrorCode.STALE_HANDLE, "the directory of " + request.getSourceName() + " changed");
    }

    /** The flow of MOVE_STATUS: waits until the move has ended; ends a move without a driver. */
    CompletableFuture<MoveStatusReply> status(RequestOrigin origin, MoveStatusRequest request) {
        return ended(new TransactionId(request.getTransactionId()))
                .thenCompose(ended -> group.read(STATUS, origin, request));
    }

    /** Waits until the move onto a name has ended; ends a move without a driver. */
    CompletableFuture<Void> settle(EntryArriving question) {
        return ended(question.transaction());
    }

    /** The background task: ends the moves that a crash or a failed call has left. */
    CompletableFuture<Duration> sweep() {
        return endFinished()
                .thenCompose(ended -> group.read(
                        LIST,
                        RequestOrigin.SERVICE,
                        ListMovesRequest.newBuilder().setDestination(true).build()))
                .thenCompose(this::sweep);
    }

    private CompletableFuture<Empty> endFinished() {
        EndMovesRequest moves = finished.take();
        return moves.getTransactionIdCount() == 0
                ? CompletableFuture.completedFuture(Empty.getDefaultInstance())
                : group.submit(END, RequestOrigin.SERVICE, moves).whenComplete((ended, failure) -> {
                    if (failure != null) {
                        finished.giveBack(moves);
                    }
                });
    }

    /**
     * Ends moves that were without a driver in the last sweep, too. A move seen for the first time may be about to get
     * its driver.
     */
    private CompletableFuture<Duration> sweep(ListMovesReply moves) {
        Set<TransactionId> found = new HashSet<>();
        CompletableFuture<?> all = CompletableFuture.completedFuture(null);
        for (OpenMove move : moves.getMoveList()) {
            TransactionId transaction = new TransactionId(move.getTransactionId());
            if (driven.containsKey(transaction)) {
                continue;
            }
            found.add(transaction);
            if (orphans.contains(transaction)) {
                all = CompletableFuture.allOf(all, end(transaction, move.getRecord()));
            }
        }
        orphans = found;
        return all.thenApply(done -> REST);
    }

    private CompletableFuture<?> end(TransactionId transaction, TransactionRecord record) {
        if (!record.getCommitted()) {
            return group.submit(ABORT, RequestOrigin.SERVICE, step(transaction));
        }
        FinishMoveRequest finish = finishRequest(transaction, record.getSourceParentId(), record.getSourceName())
                .setCommitted(true)
                .setMark(record.getMark())
                .build();
        return finish(transaction, new GroupId(record.getOtherGroup()), finish);
    }

    private CompletableFuture<Void> ended(TransactionId transaction) {
        CompletableFuture<Void> running = driven.get(transaction);
        return running != null
                ? running
                : group.submit(ABORT, RequestOrigin.SERVICE, step(transaction)).thenApply(aborted -> null);
    }

    private CompletableFuture<Empty> finish(TransactionId transaction, GroupId source, FinishMoveRequest request) {
        return peers.call(source, MetaMethods.FINISH_MOVE, request).thenCompose(done -> {
            CrashPoint.hit("meta.move.finished");
            return finished.add(transaction) ? endFinished() : CompletableFuture.completedFuture(done);
        });
    }

    private static FinishMoveRequest.Builder finishRequest(TransactionId transaction, long parent, String name) {
        return FinishMoveRequest.newBuilder()
                .setTransactionId(transaction.value())
                .setParentId(parent)
                .setName(name);
    }

    /** The refusal for a directory: the client then asks the namespace group. */
    private static TatamiException sourceIsDirectory(String name) {
        return new TatamiException(
                ErrorCode.IS_A_DIRECTORY,
                name + " is a directory",
                new RefusalSubject.EntrySubject(RefusalSubject.RequestDirectory.SOURCE, name),
                Detail.NONE,
                null);
    }

    private static MoveStep step(TransactionId transaction) {
        return MoveStep.newBuilder().setTransactionId(transaction.value()).build();
    }

    /** One move, driven for a client that waits. */
    private final class Move {
        private final TransactionId transaction;
        private final GroupId source;
        private final RequestOrigin origin;
        private final RenameFileRequest request;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        Move(TransactionId transaction, GroupId source, RequestOrigin origin, RenameFileRequest request) {
            this.transaction = transaction;
            this.source = source;
            this.origin = origin;
            this.request = request;
        }

        CompletableFuture<Empty> drive() {
            driven.put(transaction, ended);
            CrashPoint.hit("meta.move.begun");
            return prepare()
                    .thenCompose(this::commit)
                    .exceptionallyCompose(this::abort)
                    .whenComplete((reply, failure) -> {
                        driven.remove(transaction);
                        ended.complete(null);
                    });
        }

        private CompletableFuture<PrepareMoveReply> prepare() {
            PrepareMoveRequest prepare = prepareRequest(transaction, origin, request);
            return peers.call(source, MetaMethods.PREPARE_MOVE, prepare, timeoutMillis(origin));
        }

        private CompletableFuture<Empty> commit(PrepareMoveReply prepared) {
            CrashPoint.hit("meta.move.prepared");
            if (prepared.getStale()) {
                return CompletableFuture.failedFuture(staleSource(request));
            }
            if (prepared.getIsDirectory()) {
                return CompletableFuture.failedFuture(sourceIsDirectory(request.getSourceName()));
            }
            CommitMoveRequest commit = CommitMoveRequest.newBuilder()
                    .setTransactionId(transaction.value())
                    .setRename(request)
                    .setEntry(entryOf(prepared))
                    .setMark(prepared.getMark())
                    .setEnded(finished.take())
                    .build();
            return group.submitOnce(MetaMethods.RENAME_FILE, commitMove, origin, commit)
                    .whenComplete((done, failure) -> {
                        if (failure != null) {
                            finished.giveBack(commit.getEnded());
                        } else {
                            CrashPoint.hit("meta.move.committed");
                            finishInBackground(new MoveMark(prepared.getMark()));
                        }
                    });
        }

        /** Finishes at the source. A failure is repaired by {@link #sweep}. */
        private void finishInBackground(MoveMark mark) {
            var unused = finish(transaction, source, finishRequest(true, mark));
        }

        /**
         * Ends the move before the client is answered. If the commit succeeded although its future failed, the client
         * is told so.
         */
        private CompletableFuture<Empty> abort(Throwable failure) {
            return group.submit(ABORT, RequestOrigin.SERVICE, step(transaction)).thenCompose(ended -> {
                if (ended.getCommitted()) {
                    return CompletableFuture.completedFuture(Empty.getDefaultInstance());
                }
                var unused = peers.call(source, MetaMethods.FINISH_MOVE, finishRequest(false, MoveMark.NONE));
                return CompletableFuture.failedFuture(failure);
            });
        }

        private FinishMoveRequest finishRequest(boolean committed, MoveMark mark) {
            return CrossShardRename.finishRequest(transaction, parentOfSource(), request.getSourceName())
                    .setCommitted(committed)
                    .setMark(mark.value())
                    .build();
        }

        private long parentOfSource() {
            try {
                return signer.open(request.getSourceHandle()).getDirectoryId();
            } catch (TatamiException e) {
                throw new IllegalStateException("a handle that was ours is not ours", e);
            }
        }

        private static EntryRecord entryOf(PrepareMoveReply prepared) {
            try {
                return EntryRecord.parseFrom(prepared.getEntry());
            } catch (InvalidProtocolBufferException e) {
                throw new IllegalStateException("the source sent an entry that does not parse", e);
            }
        }
    }
}
