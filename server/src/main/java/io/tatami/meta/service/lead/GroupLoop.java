package io.tatami.meta.service.lead;

import com.google.protobuf.Message;
import io.tatami.base.Causes;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.files.CrashPoint;
import io.tatami.meta.log.CommitLog;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.op.UnsettledException.Question;
import io.tatami.meta.service.GroupStoppedException;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.View;
import io.tatami.meta.store.GroupStore;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import io.tatami.rpc.GroupThread;
import io.tatami.rpc.RequestScope;
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
 * The one thread of a group, which decides its requests. It takes the requests that have arrived, decides them in
 * order, each on the state that the earlier ones left, makes their changes durable as one batch, and answers them.
 * Requests that arrive meanwhile form the next batch. There is no timer: a lone request is a batch of its own. A
 * request that changes only volatile records is answered on arrival, if no batch is under way.
 *
 * <p>The thread owns the reply memory, and it alone changes the store. It is never interrupted, because an interrupt
 * would close the log's file. If a commit fails, the group stops: its outcome is unknown, and the batch may be found
 * when the group is opened again. So all requests in the batch and after it, reads included, fail with
 * {@link GroupStoppedException}.
 *
 * <p>At most {@value #QUEUE_MAX} requests wait; further ones are refused with BUSY. A batch takes at most
 * {@value #BATCH_MAX} at once.
 */
public final class GroupLoop implements AutoCloseable {
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
    private final GroupObserver observer;
    private final ReplyMemory memory;
    private final ChangeTimes changeTimes = new ChangeTimes();
    private final SnapshotReads reads;
    private final RequestQueue requestQueue = new RequestQueue(QUEUE_MAX);
    private final GroupThread thread;
    private final CompletableFuture<TatamiException> stopped = new CompletableFuture<>();

    // Owned by the thread.
    private final View durable;
    private final RecentRecords recent;
    private final VolatileRecords volatiles = new VolatileRecords();
    private final List<Pending<?, ?, ?>> work = new ArrayList<>();
    private boolean atWork;

    /**
     * @param thread of this group alone; closed with this object
     * @param log used by the thread
     * @param readers the executor of reads; its refusal is reported as BUSY
     * @param settlers answers the questions that keep a request from being decided
     * @param committed called with each durable batch, on the thread
     * @param observer told of each batch, on the thread
     */
    public GroupLoop(
            GroupId id,
            GroupThread thread,
            GroupStore store,
            CommitLog log,
            Clock clock,
            Supplier<ClusterMap> cluster,
            Executor readers,
            Function<Question, CompletableFuture<Void>> settlers,
            Consumer<Draft> committed,
            GroupObserver observer) {
        this.id = id;
        this.thread = thread;
        this.store = store;
        this.log = log;
        this.clock = clock;
        this.cluster = cluster;
        this.readers = readers;
        this.settlers = settlers;
        this.committed = committed;
        this.observer = observer;
        this.memory = new ReplyMemory(store.liveView(), clock);
        this.reads = new SnapshotReads(id, store, volatiles, clock, cluster, memory);
        this.durable = store.liveView();
        this.recent = new RecentRecords();
    }

    /** The reason why the group stopped; null while it works. */
    @Nullable
    TatamiException failure() {
        return stopped.getNow(null);
    }

    /** Requests that wait for the thread. */
    int queuedRequests() {
        return requestQueue.size();
    }

    /** As {@link ChangeTimes#microsP99}, of now. */
    long changeMicrosP99() {
        return changeTimes.microsP99(clock.monotonicNanos());
    }

    /** Completes with the reason when the group stops or is closed, on a thread that must not be blocked. */
    CompletableFuture<TatamiException> stopped() {
        return stopped.copy();
    }

    /** Queues a request, or answers it at once if it changes only volatile records and no batch is under way. */
    public void submit(Pending<?, ?, ?> pending) {
        TatamiException reason = failure();
        if (reason != null) {
            pending.fail(reason);
            return;
        }
        if (pending.mayChangeVolatileOnly() && isBetweenBatches() && isDecidedAtOnce(pending)) {
            return;
        }
        pending.queued(clock);
        switch (requestQueue.offer(pending)) {
            case FIRST -> begin();
            case TAKEN -> {}
            case REFUSED ->
                pending.fail(new TatamiException(
                        ErrorCode.BUSY, id + " has " + QUEUE_MAX + " queued requests; send this one later"));
        }
        if (stopped.isDone()) {
            failWaiting();
        }
    }

    /**
     * Answers a request that changes only volatile records. It needs no log, only the confirmation that no other
     * replica leads.
     */
    private boolean isDecidedAtOnce(Pending<?, ?, ?> pending) {
        CompletableFuture<Void> confirmed = log.confirm();
        return confirmed.isDone()
                && !confirmed.isCompletedExceptionally()
                && !pending.origin().isExpired(clock.monotonicNanos())
                && pending.decideAlone(nextBatch(), cluster.get(), memory);
    }

    private Batch nextBatch() {
        return Batch.next(durable, recent, volatiles, store.logMillis(), clock.wallMillis());
    }

    private void begin() {
        try {
            thread.execute(this::turn);
        } catch (RejectedExecutionException e) {
            // The thread has ended, and its closer fails the waiting requests.
            LOG.debug("{} takes no more work", id, e);
        }
    }

    /**
     * Decides a request that changes nothing, on state of a moment at which this replica is confirmed as leader. A
     * client's request is decided by the thread that brings it, if every record is in memory.
     */
    public void read(Pending<?, ?, ?> pending) {
        TatamiException reason = failure();
        if (reason != null) {
            pending.fail(reason);
            return;
        }
        pending.queued(clock);
        CompletableFuture<Void> confirmed = log.confirm();
        if (confirmed.isDone() && !confirmed.isCompletedExceptionally()) {
            if (!readAtOnce(pending)) {
                readElsewhere(pending);
            }
            return;
        }
        CompletableFuture<Void> unused = confirmed.whenComplete((done, thrown) -> {
            if (thrown == null) {
                readElsewhere(pending);
            } else {
                pending.fail(Causes.of(thrown));
            }
        });
    }

    /**
     * Flows of the service continue from page to page in their callbacks, so each page needs a stack of its own. The
     * group's thread waits for no file, because changes wait for it.
     */
    private boolean readAtOnce(Pending<?, ?, ?> pending) {
        if (pending.origin() == RequestOrigin.SERVICE || (thread.isCurrent() && atWork)) {
            return false;
        }
        return concluded(
                pending,
                isBetweenBatches()
                        ? reads.readAtOnce(pending, recent)
                        : reads.readAtOnce(pending, !thread.isCurrent()));
    }

    /** Whether this is the group's thread between two batches, so that its records in memory are the durable ones. */
    private boolean isBetweenBatches() {
        return thread.isCurrent() && !atWork && failure() == null;
    }

    private void readElsewhere(Pending<?, ?, ?> pending) {
        toReaders(
                () -> {
                    boolean unused = concluded(pending, reads.read(pending));
                },
                pending.future());
    }

    /** Whether a read is answered, or will be when its question is settled. */
    private boolean concluded(Pending<?, ?, ?> pending, SnapshotReads.Outcome outcome) {
        if (outcome == SnapshotReads.Outcome.DECIDED) {
            conclude(pending, this::read);
        }
        return outcome != SnapshotReads.Outcome.MUST_WAIT;
    }

    /** The remembered reply of a request; empty if there is none. Fails with a remembered refusal. */
    public <R extends Message> CompletableFuture<Optional<R>> recall(Method<?, R> method, RequestOrigin origin) {
        TatamiException reason = failure();
        if (reason != null) {
            return CompletableFuture.failedFuture(reason);
        }
        return RequestScope.carried(log.confirm()).thenCompose(confirmed -> {
            try {
                Optional<R> known = isBetweenBatches()
                        ? Optional.ofNullable(memory.recall(origin, method))
                        : reads.recallAtOnce(method, origin);
                return known == null ? recallElsewhere(method, origin) : CompletableFuture.completedFuture(known);
            } catch (TatamiException e) {
                return CompletableFuture.failedFuture(e);
            }
        });
    }

    private <R extends Message> CompletableFuture<Optional<R>> recallElsewhere(
            Method<?, R> method, RequestOrigin origin) {
        CompletableFuture<Optional<R>> recalled = new CompletableFuture<>();
        toReaders(
                () -> {
                    try {
                        recalled.complete(reads.recall(method, origin));
                    } catch (TatamiException | RuntimeException e) {
                        recalled.completeExceptionally(e);
                    }
                },
                recalled);
        return RequestScope.carried(recalled);
    }

    private void toReaders(Runnable read, CompletableFuture<?> told) {
        try {
            readers.execute(read);
        } catch (RejectedExecutionException e) {
            told.completeExceptionally(
                    new TatamiException(ErrorCode.BUSY, id + " has too many queued reads; send this one later", e));
        }
    }

    /** One batch, on the thread. */
    private void turn() {
        atWork = true;
        try {
            requestQueue.poll(work, BATCH_MAX);
            if (failure() == null) {
                Batch batch = nextBatch();
                long begunNanos = clock.monotonicNanos();
                decide(batch);
                long decidedNanos = clock.monotonicNanos();
                long appliedBefore = store.applyNanos();
                commit(batch);
                long commitNanos = clock.monotonicNanos() - decidedNanos;
                long applyNanos = store.applyNanos() - appliedBefore;
                work.forEach(
                        pending -> pending.committed(decidedNanos, Math.max(0, commitNanos - applyNanos), applyNanos));
                if (!batch.draft().isEmpty()) {
                    countChanges(decidedNanos + commitNanos);
                }
                observe(decidedNanos - begunNanos, commitNanos);
                work.forEach(pending -> conclude(pending, this::submit));
                work.clear();
            }
        } catch (TatamiException e) {
            stop(onFailedCommit(e));
        } catch (UncheckedIOException e) {
            LOG.error("{} has stopped: its store cannot be read", id, e);
            stop(SnapshotReads.unreadable(id, e));
        } catch (RuntimeException | Error e) {
            LOG.error("{} has stopped on a bug in Tatami", id, e);
            stop(onBug(e));
        } finally {
            atWork = false;
        }
        fail(work);
        work.clear();
        // Not earlier: the replies also wait for this thread, and must not be behind the next batch.
        if (requestQueue.isMore()) {
            begin();
        }
    }

    private void countChanges(long durableNanos) {
        for (Pending<?, ?, ?> pending : work) {
            pending.countTo(changeTimes, durableNanos);
        }
    }

    /** The batch is durable: what goes wrong in counting it must not stop the group. */
    private void observe(long decideNanos, long commitNanos) {
        try {
            observer.decided(id, work.size(), decideNanos, commitNanos);
        } catch (RuntimeException e) {
            LOG.error("a batch of {} was not counted", id, e);
        }
    }

    /** Decides the requests in {@code work}, and those that arrive until that is done. */
    private void decide(Batch batch) {
        long nowNanos = clock.monotonicNanos();
        ClusterMap map = cluster.get();
        int decided = 0;
        while (decided < work.size() && !batch.isFull() && !memory.isFull()) {
            Pending<?, ?, ?> pending = work.get(decided);
            decided++;
            pending.begun(clock);
            if (pending.origin().isExpired(nowNanos)) {
                pending.refuse(SnapshotReads.expired());
            } else {
                pending.decide(batch, map, memory);
            }
            if (decided == work.size()) {
                requestQueue.poll(work, BATCH_MAX);
            }
        }
        List<Pending<?, ?, ?>> rest = work.subList(decided, work.size());
        requestQueue.putBack(rest);
        rest.clear();
        memory.writeTo(batch.end(), batch.logMillis());
    }

    private void commit(Batch batch) throws TatamiException {
        Draft changes = batch.draft();
        if (changes.isEmpty()) {
            Futures.result(log.confirm());
            return;
        }
        CrashPoint.hit("meta.batch.before-commit");
        work.forEach(pending -> pending.reach("meta.operation.decided"));
        log.commit(new LogEntry(store.appliedIndex() + 1, batch.logMillis(), changes.changes()));
        CrashPoint.hit("meta.batch.after-commit");
        work.forEach(pending -> pending.reach("meta.operation.committed"));
        committed.accept(changes);
    }

    /** Answers a request. If a question keeps it from being decided, has the question settled and decides anew. */
    private void conclude(Pending<?, ?, ?> pending, Consumer<Pending<?, ?, ?>> again) {
        Question question = pending.question();
        if (question == null) {
            pending.answer();
            return;
        }
        CompletableFuture<Void> settled = pending.inScope(() -> settlers.apply(question))
                .whenComplete((done, thrown) -> {
                    if (thrown != null) {
                        pending.fail(Causes.of(thrown));
                    } else if (pending.settled(question)) {
                        again.accept(pending);
                    } else {
                        pending.fail(new TatamiException(
                                ErrorCode.BUSY, "other requests are changing the same entry; send this one again"));
                    }
                });
        if (settled.isCancelled()) {
            pending.fail(new TatamiException(ErrorCode.CANCELLED, "the question was cancelled: " + question));
        }
    }

    private TatamiException closed() {
        return new GroupStoppedException(id, id + " is closed");
    }

    private TatamiException onBug(Throwable e) {
        return new GroupStoppedException(id, id + " has stopped because of a bug in Tatami: " + e, e);
    }

    /** Never NOT_LEADER: the batch may be in the log, and the next leader may apply it. */
    private TatamiException onFailedCommit(TatamiException failure) {
        if (failure.code() == ErrorCode.NOT_LEADER) {
            LOG.info("{} leads no more: a commit failed", id);
        } else {
            LOG.error("{} has stopped: a commit failed", id, failure);
        }
        return new GroupStoppedException(id, id + " has stopped: " + failure.getMessage(), failure);
    }

    private void stop(TatamiException reason) {
        boolean unused = stopped.complete(reason);
    }

    private void failWaiting() {
        List<Pending<?, ?, ?>> waiting = new ArrayList<>();
        requestQueue.poll(waiting, Integer.MAX_VALUE);
        fail(waiting);
    }

    /** Fails the unanswered requests with the reason why the group stopped. */
    private void fail(List<Pending<?, ?, ?>> requests) {
        TatamiException reason = failure();
        if (reason != null) {
            requests.forEach(pending -> pending.fail(reason));
        }
    }

    /**
     * Ends the present batch and the reads under way; waiting requests fail with UNAVAILABLE. Must not be called on the
     * group's thread or within a read.
     */
    @Override
    public void close() {
        stop(closed());
        thread.close();
        reads.close();
        failWaiting();
    }
}
