package io.tatami.meta.service.host;

import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.meta.log.CommitLog;
import io.tatami.meta.op.UnsettledException.Question;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.View;
import io.tatami.meta.store.GroupStore;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a group's requests are decided: one thread decides them one after the other, each seeing those before it, while
 * a second makes the batch before durable. As soon as that is done, what was decided meanwhile is the next batch; then
 * they are answered. No timer is involved: a lone request is a batch of its own.
 *
 * <pre>
 *  decides   |  batch 1  |      batch 2      |      batch 3      |
 *  commits               |     batch 1    |  |   batch 2    |    |  batch 3 ...
 * </pre>
 *
 * <p>The thread owns the memory of replies, and nobody else changes the store. When a commit fails the group stops:
 * nothing is known of the batch, and everything in it and after it fails with UNAVAILABLE.
 */
final class GroupLoop implements AutoCloseable {
    private static final int QUEUE_MAX = 8_192;
    private static final int BATCH_MAX = 1_024;
    private static final Logger LOG = LoggerFactory.getLogger(GroupLoop.class);

    private final GroupId id;
    private final GroupStore store;
    private final CommitLog log;
    private final Clock clock;
    private final Supplier<ClusterMap> cluster;
    private final Executor readers;
    private final Function<Question, CompletableFuture<Void>> settlers;
    private final Consumer<Draft> committed;
    private final ReplyMemory memory;
    private final SnapshotReads reads;
    private final Intake intake = new Intake(QUEUE_MAX);
    private final Committer committer;
    private final Thread thread;
    private final CompletableFuture<TatamiException> stopped = new CompletableFuture<>();

    /**
     * @param log used by a thread of this loop
     * @param readers where reads are decided; may refuse, which is told as BUSY
     * @param settlers answers what requests cannot be decided without
     * @param committed told of each batch when it is durable, on a thread of this loop
     */
    GroupLoop(
            GroupId id,
            GroupStore store,
            CommitLog log,
            Clock clock,
            Supplier<ClusterMap> cluster,
            Executor readers,
            Function<Question, CompletableFuture<Void>> settlers,
            Consumer<Draft> committed) {
        this.id = id;
        this.store = store;
        this.log = log;
        this.clock = clock;
        this.cluster = cluster;
        this.readers = readers;
        this.settlers = settlers;
        this.committed = committed;
        this.memory = new ReplyMemory(store.newest(), clock);
        this.reads = new SnapshotReads(id, store, clock, cluster, memory);
        this.committer = new Committer("commit-" + id, store, log, new Commits());
        this.thread = Threads.daemon(this::run, "group-" + id);
    }

    void start() {
        committer.start();
        thread.start();
    }

    /** Why the group stopped; null while it works. */
    @Nullable
    TatamiException failure() {
        return stopped.getNow(null);
    }

    /** Completes with why the group stopped, on a thread that must not be held up; also when it is closed. */
    CompletableFuture<TatamiException> stopped() {
        return stopped.copy();
    }

    /** Puts a request behind those that wait. */
    void enqueue(Pending<?, ?, ?> pending) {
        TatamiException reason = failure();
        if (reason != null) {
            pending.fail(reason);
        } else if (!intake.offer(pending)) {
            pending.fail(new TatamiException(
                    ErrorCode.BUSY, id + " has " + QUEUE_MAX + " requests waiting; send this again later"));
        } else if (stopped.isDone()) {
            failWaiting();
        }
    }

    /**
     * Decides a request on a snapshot, taken when it is known that nobody else leads the group; it must change nothing.
     */
    void read(Pending<?, ?, ?> pending) {
        CompletableFuture<Void> confirmed = log.confirm();
        if (confirmed.isDone() && !confirmed.isCompletedExceptionally()) {
            decideRead(pending);
            return;
        }
        CompletableFuture<Void> unused = confirmed.whenComplete((done, thrown) -> {
            if (thrown == null) {
                decideRead(pending);
            } else {
                pending.fail(Causes.of(thrown));
            }
        });
    }

    private void decideRead(Pending<?, ?, ?> pending) {
        try {
            readers.execute(() -> {
                if (reads.decide(pending)) {
                    conclude(pending, this::read);
                }
            });
        } catch (RejectedExecutionException e) {
            pending.fail(new TatamiException(ErrorCode.BUSY, id + " has too many reads waiting", e));
        }
    }

    /** The remembered reply of a request, or that there is none; fails with a remembered refusal. */
    <R extends Message> CompletableFuture<Optional<R>> recall(Method<?, R> method, RequestOrigin origin) {
        return log.confirm().thenCompose(confirmed -> reads.recall(method, origin));
    }

    private void run() {
        View durable = store.newest();
        RecentRecords recent = new RecentRecords(durable);
        Batch batch = Batch.next(durable, recent, store.logMillis());
        try {
            while (!stopped.isDone()) {
                boolean canCommit = decideArrived(batch);
                if (canCommit && !batch.isEmpty()) {
                    batch = handOver(batch, durable, recent);
                }
            }
        } catch (InterruptedException e) {
            stop(closed());
        } catch (UncheckedIOException e) {
            LOG.error("{} has stopped: its store cannot be read", id, e);
            stop(SnapshotReads.unreadable(id, e));
        } catch (RuntimeException | Error e) {
            LOG.error("{} has stopped on a bug in Tatami", id, e);
            stop(onBug(e));
        }
        failAll(batch);
        committer.giveBack(this::failAll);
        failWaiting();
    }

    /** Waits for something to do; true where the batch may be handed over. */
    private boolean decideArrived(Batch batch) throws InterruptedException {
        List<Pending<?, ?, ?>> arrived = new ArrayList<>();
        boolean canCommit = intake.take(arrived, BATCH_MAX - batch.decided().size(), !batch.isEmpty());
        batch.add(arrived, clock.wallMillis());
        long nowNanos = clock.monotonicNanos();
        ClusterMap map = cluster.get();
        for (Pending<?, ?, ?> pending : arrived) {
            if (pending.origin().isExpired(nowNanos)) {
                pending.refuse(SnapshotReads.expired());
            } else {
                pending.decide(batch, map, memory);
            }
        }
        return canCommit;
    }

    /** Has the batch made durable; the next one is decided on what it leaves. */
    private Batch handOver(Batch batch, View durable, RecentRecords recent) {
        Draft draft = batch.end();
        memory.writeTo(draft);
        // The store has the changes only once they are durable; until then they lie over it.
        View left = draft.isEmpty() ? durable : draft.over(durable);
        intake.commitBegins();
        committer.take(batch);
        return Batch.next(left, recent, batch.logMillis());
    }

    /** Answers, or has settled what is in the way and decides anew. */
    private void conclude(Pending<?, ?, ?> pending, Consumer<Pending<?, ?, ?>> again) {
        Question question = pending.question();
        if (question == null) {
            pending.answer();
            return;
        }
        CompletableFuture<Void> settled = settlers.apply(question).whenComplete((done, thrown) -> {
            if (thrown != null) {
                pending.fail(Causes.of(thrown));
            } else if (pending.settled(question)) {
                again.accept(pending);
            } else {
                pending.fail(new TatamiException(ErrorCode.BUSY, "others change the same entry; send this again"));
            }
        });
        if (settled.isCancelled()) {
            pending.fail(new TatamiException(ErrorCode.CANCELLED, "the question was given up: " + question));
        }
    }

    private TatamiException closed() {
        return new TatamiException(ErrorCode.UNAVAILABLE, id + " is closed");
    }

    private TatamiException onBug(Throwable e) {
        return new TatamiException(ErrorCode.UNAVAILABLE, id + " has stopped on a bug in Tatami: " + e, e);
    }

    private void stop(TatamiException reason) {
        boolean unused = stopped.complete(reason);
    }

    private void failAll(Batch batch) {
        TatamiException reason = failure();
        if (reason != null) {
            batch.decided().forEach(pending -> pending.fail(reason));
        }
    }

    private void failWaiting() {
        TatamiException reason = failure();
        if (reason != null) {
            intake.drain().forEach(pending -> pending.fail(reason));
        }
    }

    /**
     * Lets the batch in work and the reads under way end; whatever waits fails with UNAVAILABLE. Not to be called on
     * the group's threads or out of a read.
     */
    @Override
    public void close() {
        stop(closed());
        thread.interrupt();
        Threads.joinUninterrupted(thread);
        committer.close();
        reads.close();
        failWaiting();
    }

    /** Hears of the batches that were handed over. */
    private final class Commits implements Committer.Listener {
        @Override
        public void committed(Draft changes) {
            committed.accept(changes);
        }

        @Override
        public void settled(Batch batch) {
            intake.commitEnds();
            for (Pending<?, ?, ?> pending : batch.decided()) {
                conclude(pending, GroupLoop.this::enqueue);
            }
        }

        @Override
        public void failed(Batch batch, Throwable cause) {
            if (cause instanceof TatamiException failure) {
                if (failure.code() == ErrorCode.NOT_LEADER) {
                    LOG.info("{} leads no more: a commit failed", id);
                } else {
                    LOG.error("{} has stopped: a commit failed", id, cause);
                }
                // Not as NOT_LEADER: the batch may be in the log, and be applied by the next leader.
                stop(new TatamiException(ErrorCode.UNAVAILABLE, id + " has stopped: " + cause.getMessage(), cause));
            } else {
                LOG.error("{} has stopped on a bug in Tatami", id, cause);
                stop(onBug(cause));
            }
            failAll(batch);
            thread.interrupt();
        }
    }
}
