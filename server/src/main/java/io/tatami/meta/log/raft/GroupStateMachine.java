package io.tatami.meta.log.raft;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.log.EntryFormat;
import io.tatami.meta.log.flush.TreeFlush;
import io.tatami.meta.log.raft.snapshot.GroupSnapshots;
import io.tatami.meta.log.raft.snapshot.SnapshotRhythm;
import io.tatami.meta.log.raft.transport.Voter;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.state.wire.ReplicatedEntry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica as Ratis drives it. Ratis's updater thread applies, takes snapshots and replaces the store; whatever fails
 * there stops the replica, and nothing is applied any more.
 */
final class GroupStateMachine extends BaseStateMachine implements Voter {
    private static final Logger LOG = LoggerFactory.getLogger(GroupStateMachine.class);
    private static final Message ACCEPTED = Message.valueOf(ByteString.copyFrom(new byte[] {1}));
    private static final Message REFUSED = Message.valueOf(ByteString.copyFrom(new byte[] {0}));

    /** For fewer a start takes no snapshot: it applies them faster than that. */
    private static final long ENTRIES_WORTH_KEEPING = 100;

    private final GroupId id;
    private final ReplicaStore store;
    private final ClientId ours;
    private final SnapshotRhythm rhythm;
    private final Events events;
    private final GroupSnapshots snapshots;
    private final EntryApplier applier = new EntryApplier();
    private volatile @Nullable TatamiException failure;
    /** Up to which entry Ratis was told that the log is needed no more; must not become less. */
    private long cutIndex;

    /** Hears what becomes of the replica, on threads of Ratis that must not be held up but where it says so. */
    interface Events {
        /** The replica leads, but may yet have to apply what came before. */
        void elected();

        void leaderReady();

        void notLeader();

        /** Completes when the store is nobody else's. */
        CompletableFuture<Void> released();

        void snapshotDue();

        /** Told of the first failure only. */
        void failed(TatamiException reason);

        /** Ratis has ended with the group. */
        void ended();
    }

    /**
     * @param ours the only client whose entries are taken
     * @param flush for snapshots that come
     */
    GroupStateMachine(
            GroupId id, ReplicaStore store, ClientId ours, SnapshotRhythm rhythm, TreeFlush flush, Events events) {
        this.id = id;
        this.store = store;
        this.ours = ours;
        this.rhythm = rhythm;
        this.snapshots = new GroupSnapshots(flush);
        this.events = events;
    }

    /** Whether the reply to an entry says that it was applied. */
    static boolean isAccepted(Message reply) {
        return reply.getContent().equals(ACCEPTED.getContent());
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage storage) throws IOException {
        super.initialize(server, group, storage);
        getLifeCycle().transition(LifeCycle.State.STARTING);
        snapshots.init(storage);
        keepBeginning(storage);
        keepProgress();
        load();
        rhythm.begun(GroupSnapshots.logBytes(storage));
        getLifeCycle().transition(LifeCycle.State.RUNNING);
    }

    /**
     * What was in the store before there was a log is in no entry of it. So it is made the snapshot that the log goes
     * on from, before this replica votes: what it leads with, and what others are sent, is never less.
     */
    private void keepBeginning(RaftStorage storage) throws IOException {
        ProgressRecord progress = store.get().progress();
        boolean wasLocal = progress.getReplicated() && progress.getAppliedIndex() > 0 && progress.getRaftIndex() == 0;
        if (!wasLocal
                || snapshots.newest().isPresent()
                || !GroupSnapshots.logFiles(storage).isEmpty()) {
            return;
        }
        keepStore(TermIndex.valueOf(0, 0));
        CrashPoint.hit("raft.open.beginning-kept");
    }

    /**
     * Ratis applies what came after the newest snapshot, also what the store has already: for a log of 256 MB, that
     * takes seconds in which this replica cannot lead. So what the store has is made a snapshot first, which is little
     * more than links to files that lie there.
     */
    private void keepProgress() throws IOException {
        ProgressRecord progress = store.get().progress();
        long kept = snapshots.newest().map(newest -> newest.at().getIndex()).orElse(0L);
        if (progress.getRaftIndex() - kept < ENTRIES_WORTH_KEEPING) {
            return;
        }
        keepStore(TermIndex.valueOf(progress.getRaftTerm(), progress.getRaftIndex()));
        snapshots.cleanupOldSnapshots(null);
        CrashPoint.hit("raft.open.progress-kept");
    }

    private void keepStore(TermIndex at) throws IOException {
        try {
            snapshots.take(store.get(), at);
        } catch (TatamiException e) {
            throw new IOException(stop(e));
        }
    }

    /** The store as it is, or as the newest snapshot has it where that is newer. */
    private void load() throws IOException {
        Optional<GroupSnapshots.Snapshot> newest = snapshots.newest();
        try {
            if (newest.isPresent() && newest.get().appliedIndex() > store.get().appliedIndex()) {
                store.replaceBy(newest.get());
            }
        } catch (TatamiException e) {
            throw new IOException(stop(e));
        }
        applier.reset();
        TermIndex begin = newest.map(GroupSnapshots.Snapshot::at).orElse(TermIndex.INITIAL_VALUE);
        setLastAppliedTermIndex(begin);
        cutIndex = begin.getIndex();
        rhythm.taken();
    }

    @Override
    public TransactionContext startTransaction(RaftClientRequest request) throws IOException {
        if (!request.getClientId().equals(ours)) {
            throw new IOException("entries of " + id + " are accepted from this server only");
        }
        return super.startTransaction(request);
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto entry = transaction.getLogEntry();
        TermIndex at = TermIndex.valueOf(entry.getTerm(), entry.getIndex());
        try {
            requireSound();
            ByteString bytes = entry.getStateMachineLogEntry().getLogData();
            ReplicatedEntry part = EntryFormat.parse(bytes.asReadOnlyByteBuffer(), at.getIndex());
            boolean accepted = applier.apply(store.get(), part, at, getLastAppliedTermIndex());
            boolean isNew = updateLastAppliedTermIndex(at);
            assert isNew;
            if (rhythm.isDueAfter(bytes.size())) {
                events.snapshotDue();
            } else if (rhythm.isFlushDue()) {
                store.get().flushSoon();
            }
            return CompletableFuture.completedFuture(accepted ? ACCEPTED : REFUSED);
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(stop(e));
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(stop(bug(e)));
        }
    }

    @Override
    public CompletableFuture<Message> query(Message question) {
        TatamiException reason = failure;
        return reason == null
                ? CompletableFuture.completedFuture(Message.EMPTY)
                : CompletableFuture.failedFuture(reason);
    }

    /** Returns up to where the log can go: a member that is sent an older snapshot needs what came after that one. */
    @Override
    public long takeSnapshot() throws IOException {
        TermIndex settled = applier.settled(getLastAppliedTermIndex());
        if (settled.getIndex() < 0) {
            return RaftLog.INVALID_LOG_INDEX;
        }
        try {
            requireSound();
            snapshots.take(store.get(), settled);
        } catch (TatamiException e) {
            throw new IOException(stop(e));
        } catch (IOException e) {
            throw new IOException(stop(ioError("cannot write a snapshot", e)));
        }
        rhythm.taken();
        cutIndex = Math.max(cutIndex, snapshots.oldestKept(settled).getIndex());
        return cutIndex;
    }

    /** Whether a member is being sent a snapshot, or has not caught up since. */
    boolean isSendingSnapshot() {
        return snapshots.isKeptForMember();
    }

    /**
     * Ratis has all files of the leader's snapshot and is about to put them in the place of ours; then the leader
     * counts on this replica, and the log before goes. It holds its lock, so others wait for this group's answers.
     */
    @Override
    public void pause() {
        try {
            snapshots.flushReceived();
        } catch (IOException e) {
            throw new UncheckedIOException(
                    new IOException(stop(ioError("cannot make the leader's snapshot durable", e))));
        }
        stopApplying();
    }

    private synchronized void stopApplying() {
        if (getLifeCycleState() == LifeCycle.State.RUNNING) {
            getLifeCycle().transition(LifeCycle.State.PAUSING);
            getLifeCycle().transition(LifeCycle.State.PAUSED);
        }
    }

    /** Ratis has put the leader's snapshot in the place of ours. */
    @Override
    public synchronized void reinitialize() throws IOException {
        Void unused = events.released().join();
        try {
            requireSound();
            snapshots.refresh();
            load();
        } catch (TatamiException e) {
            throw new IOException(e);
        } catch (IOException e) {
            throw new IOException(stop(ioError("cannot use the leader's snapshot", e)));
        }
        LOG.info(
                "{} goes on from a snapshot of its leader's, at entry {}",
                id,
                store.get().appliedIndex());
        getLifeCycle().transition(LifeCycle.State.STARTING);
        getLifeCycle().transition(LifeCycle.State.RUNNING);
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return snapshots;
    }

    @Override
    public void notifyLeaderChanged(RaftGroupMemberId self, RaftPeerId leader) {
        if (self.getPeerId().equals(leader)) {
            events.elected();
        }
    }

    @Override
    public void notifyLeaderReady() {
        events.leaderReady();
    }

    @Override
    public void notifyNotLeader(Collection<TransactionContext> pending) {
        events.notLeader();
    }

    @Override
    public void notifyLogFailed(@Nullable Throwable cause, @Nullable LogEntryProto entry) {
        TatamiException unused = stop(new TatamiException(
                ErrorCode.IO_ERROR,
                "the Raft log of " + id + " cannot be written" + (cause == null ? "" : ": " + Causes.inWords(cause)),
                cause));
    }

    @Override
    public void voteFailed(IOException reason) {
        TatamiException unused = stop(new TatamiException(
                ErrorCode.IO_ERROR,
                "the vote of this replica of " + id + " cannot be written: " + Causes.inWords(reason),
                reason));
    }

    @Override
    public void notifyServerShutdown(RoleInfoProto role, boolean allServers) {
        events.ended();
    }

    private void requireSound() throws TatamiException {
        TatamiException reason = failure;
        if (reason != null) {
            throw new TatamiException(
                    ErrorCode.UNAVAILABLE, "this replica of " + id + " has stopped: " + reason.getMessage(), reason);
        }
    }

    private TatamiException ioError(String what, IOException e) {
        return e.getCause() instanceof TatamiException ours
                ? ours
                : new TatamiException(
                        ErrorCode.IO_ERROR, "the replica of " + id + " " + what + ": " + Causes.inWords(e), e);
    }

    private TatamiException bug(Throwable e) {
        return new TatamiException(ErrorCode.INTERNAL, id + " has stopped because of a bug in Tatami: " + e, e);
    }

    private TatamiException stop(TatamiException reason) {
        synchronized (events) {
            TatamiException first = failure;
            if (first != null) {
                return first;
            }
            failure = withRemedy(reason);
        }
        TatamiException told = failure;
        LOG.error("This replica of {} has stopped", id, told);
        events.failed(told);
        return told;
    }

    private static TatamiException withRemedy(TatamiException reason) {
        boolean isOfDisk = reason.code() == ErrorCode.IO_ERROR || reason.code() == ErrorCode.NO_SPACE;
        return isOfDisk
                ? new TatamiException(
                        reason.code(),
                        reason.getMessage()
                                + "; the other replicas continue without this one. Check the disk, which may be full or"
                                + " failing, then restart this server",
                        reason)
                : reason;
    }
}
