package io.tatami.meta.log.raft;

import io.tatami.base.Causes;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.CommitLog;
import io.tatami.meta.log.EntryFormat;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.log.LogSpace;
import io.tatami.meta.state.wire.ProgressRecord;
import io.tatami.meta.state.wire.ReplicatedEntry;
import io.tatami.meta.store.GroupStore;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;

/**
 * The log of a group with several replicas, for one term of leadership: an entry is durable on a majority, and applied
 * here, when it is committed. Entries are given to it by one thread.
 */
final class RatisLog implements CommitLog {
    private static final long READY_PROBE_MILLIS = 10;

    private final RatisCalls calls;
    private final RaftGroupId group;
    private final GroupStore store;
    private final ConfirmRounds rounds;
    private final Set<CompletableFuture<Message>> waiting = ConcurrentHashMap.newKeySet();
    /** Completes with why this log takes nothing more. */
    private final CompletableFuture<TatamiException> ended = new CompletableFuture<>();

    private final Runnable stepDown;

    /** @param stepDown called where a commit fails: what became of the entry is known once a term begins */
    RatisLog(RatisCalls calls, RaftGroupId group, GroupStore store, Runnable stepDown) {
        this.calls = calls;
        this.group = group;
        this.store = store;
        this.stepDown = stepDown;
        this.rounds = new ConfirmRounds(() -> untilEnded(calls.readIndex(group)));
    }

    /** Another replica leads, or none. Without effect where the log has ended. */
    void depose() {
        boolean unused = end(new TatamiException(ErrorCode.NOT_LEADER, "this replica no longer leads its group"));
    }

    private boolean end(TatamiException reason) {
        boolean isFirst = ended.complete(reason);
        if (isFirst) {
            for (CompletableFuture<Message> reply : waiting) {
                boolean unused = reply.completeExceptionally(reason);
            }
        }
        return isFirst;
    }

    /**
     * {@inheritDoc}
     *
     * @throws TatamiException NOT_LEADER also where somebody else's entries came in between and this one was refused,
     *     by all replicas alike; else nothing is known of it
     */
    @Override
    public void commit(LogEntry entry) throws TatamiException {
        commit(entry, store.progress());
    }

    /** As {@link #commit(LogEntry)}, of an entry that was decided on the state given. */
    void commit(LogEntry entry, ProgressRecord decidedOn) throws TatamiException {
        try {
            if (entry.index() != decidedOn.getAppliedIndex() + 1) {
                throw overtaken(entry);
            }
            for (ReplicatedEntry part : EntryFormat.parts(entry, decidedOn)) {
                if (!GroupStateMachine.isAccepted(append(part.toByteArray()))) {
                    throw overtaken(entry);
                }
            }
        } catch (TatamiException e) {
            if (end(e)) {
                stepDown.run();
            }
            throw e;
        }
    }

    private static TatamiException overtaken(LogEntry entry) {
        return new TatamiException(
                ErrorCode.NOT_LEADER,
                "entry " + entry.index()
                        + " was decided before entries that another leader committed; it changed nothing");
    }

    private Message append(byte[] bytes) throws TatamiException {
        while (true) {
            TatamiException reason = ended.getNow(null);
            if (reason != null) {
                throw reason;
            }
            try {
                return await(untilEnded(calls.append(group, bytes)));
            } catch (TatamiException e) {
                // Ratis tells of a leader before it takes requests for it.
                if (e.code() != ErrorCode.BUSY) {
                    throw e;
                }
            }
            pause();
        }
    }

    private void pause() throws TatamiException {
        try {
            throw ended.get(READY_PROBE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TatamiException(ErrorCode.UNAVAILABLE, "interrupted before the entry was appended to the log", e);
        } catch (ExecutionException e) {
            throw reasonOf(e);
        }
    }

    /** Of the reply, or of the end of this log, what comes first. */
    private CompletableFuture<Message> untilEnded(CompletableFuture<Message> reply) {
        CompletableFuture<Message> first = new CompletableFuture<>();
        waiting.add(first);
        CompletableFuture<Message> unused = reply.whenComplete((message, thrown) -> {
            waiting.remove(first);
            boolean isFirst = thrown == null ? first.complete(message) : first.completeExceptionally(thrown);
            assert isFirst || ended.isDone();
        });
        TatamiException reason = ended.getNow(null);
        if (reason != null) {
            boolean isFirst = first.completeExceptionally(reason);
            assert isFirst || first.isDone();
        }
        return first;
    }

    /** Not ended by an interrupt: a leader that reaches no majority steps down, and then its entries fail. */
    private static Message await(CompletableFuture<Message> reply) throws TatamiException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return reply.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw reasonOf(e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static TatamiException reasonOf(Throwable thrown) {
        Throwable at = Causes.unwrapped(thrown);
        return at instanceof TatamiException ours
                ? ours
                : new TatamiException(ErrorCode.UNAVAILABLE, "the replicated log failed: " + at, at);
    }

    @Override
    public CompletableFuture<Void> confirm() {
        return rounds.join();
    }

    @Override
    public long bytes() throws IOException {
        return LogSpace.bytes(calls.segments(group), "log_*");
    }

    /** Ends what is under way. */
    @Override
    public void close() {
        boolean unused = end(new TatamiException(ErrorCode.UNAVAILABLE, "the replicated log is closed"));
    }
}
