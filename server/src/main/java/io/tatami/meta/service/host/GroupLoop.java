package io.tatami.meta.service.host;

import com.google.protobuf.Message;
import io.tatami.base.Clock;
import io.tatami.base.CrashPoint;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.meta.log.CommitLog;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.op.UnsettledException.Question;
import io.tatami.meta.service.RequestOrigin;
import io.tatami.meta.state.Draft;
import io.tatami.meta.state.Totals;
import io.tatami.meta.store.GroupStore;
import io.tatami.meta.store.StoreSnapshot;
import io.tatami.protocol.Method;
import io.tatami.protocol.wire.ClusterMap;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
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
 * Where a group's requests are decided: one thread takes all that arrived while it was making the last batch durable,
 * decides them one after the other, each seeing those before it, makes them durable together, and answers. No timer is
 * involved: a lone request is a batch of its own.
 *
 * <p>The thread owns the store, the log and the memory of replies. When a commit fails the group stops: nothing is known
 * of the batch, and everything in it and after it fails with UNAVAILABLE.
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
    private final BlockingQueue<Pending<?, ?, ?>> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
    private final Thread thread;
    private volatile @Nullable TatamiException stopped;

    /**
     * @param readers where reads are decided; may refuse, which is told as BUSY
     * @param settlers answers what requests cannot be decided without
     * @param committed told of each batch when it is durable, on the group's thread
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
        this.thread = new Thread(this::run, "group-" + id);
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Why the group stopped; null while it works. */
    @Nullable
    TatamiException failure() {
        return stopped;
    }

    /** Puts a request behind those that wait. */
    void enqueue(Pending<?, ?, ?> pending) {
        TatamiException reason = stopped;
        if (reason != null) {
            pending.fail(reason);
        } else if (!queue.offer(pending)) {
            pending.fail(new TatamiException(
                    ErrorCode.BUSY, id + " has " + QUEUE_MAX + " requests waiting; send this again later"));
        } else if (stopped != null) {
            failWaiting();
        }
    }

    /** Decides a request on a snapshot; it must change nothing. */
    void read(Pending<?, ?, ?> pending) {
        try {
            readers.execute(() -> decideOnSnapshot(pending));
        } catch (RejectedExecutionException e) {
            pending.fail(new TatamiException(ErrorCode.BUSY, id + " has too many reads waiting", e));
        }
    }

    /** The remembered reply of a request, or that there is none; fails with a remembered refusal. */
    <R extends Message> CompletableFuture<Optional<R>> recall(Method<?, R> method, RequestOrigin origin) {
        try (StoreSnapshot snapshot = store.snapshot()) {
            return CompletableFuture.completedFuture(
                    Optional.ofNullable(ReplyMemory.recallStored(snapshot.view(), origin, method)));
        } catch (TatamiException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private void decideOnSnapshot(Pending<?, ?, ?> pending) {
        if (pending.origin().isExpired(clock.monotonicNanos())) {
            pending.fail(expired());
            return;
        }
        try (StoreSnapshot snapshot = store.snapshot()) {
            Draft draft = new Draft(snapshot.view());
            pending.decide(draft, Math.max(store.logMillis(), clock.wallMillis()), cluster.get(), memory);
            if (!draft.isEmpty()) {
                throw new IllegalStateException("a read of " + id + " changed records");
            }
        } catch (TatamiException e) {
            pending.fail(e);
            return;
        } catch (UncheckedIOException e) {
            LOG.error("{} cannot read its store", id, e);
            pending.fail(unreadable(e));
            return;
        } catch (RuntimeException e) {
            LOG.error("a read of {} met a bug in Tatami", id, e);
            pending.fail(new TatamiException(ErrorCode.INTERNAL, "a bug in Tatami: " + e, e));
            return;
        }
        conclude(pending, this::read);
    }

    private void run() {
        List<Pending<?, ?, ?>> batch = new ArrayList<>(BATCH_MAX);
        try {
            while (stopped == null) {
                batch.add(queue.take());
                queue.drainTo(batch, BATCH_MAX - 1);
                decide(batch);
                batch.clear();
            }
        } catch (InterruptedException e) {
            stop(new TatamiException(ErrorCode.UNAVAILABLE, id + " is closed", e));
        } catch (TatamiException e) {
            LOG.error("{} has stopped: a commit failed", id, e);
            stop(new TatamiException(ErrorCode.UNAVAILABLE, id + " has stopped: " + e.getMessage(), e));
        } catch (UncheckedIOException e) {
            LOG.error("{} has stopped: its store cannot be read", id, e);
            stop(unreadable(e));
        } catch (RuntimeException | Error e) {
            LOG.error("{} has stopped on a bug in Tatami", id, e);
            stop(new TatamiException(ErrorCode.UNAVAILABLE, id + " has stopped on a bug in Tatami: " + e, e));
        }
        TatamiException reason = stopped;
        if (reason != null) {
            batch.forEach(pending -> pending.fail(reason));
        }
        failWaiting();
    }

    private void decide(List<Pending<?, ?, ?>> batch) throws TatamiException {
        Draft draft = new Draft(store.newest());
        long nowMillis = Math.max(store.logMillis(), clock.wallMillis());
        long nowNanos = clock.monotonicNanos();
        ClusterMap map = cluster.get();
        batch.removeIf(pending -> {
            boolean late = pending.origin().isExpired(nowNanos);
            if (late) {
                pending.fail(expired());
            }
            return late;
        });
        for (Pending<?, ?, ?> pending : batch) {
            pending.decide(draft, nowMillis, map, memory);
        }
        memory.expire(draft);
        if (!draft.isEmpty()) {
            Totals.update(draft, store.newest());
            CrashPoint.hit("meta.batch.before-commit");
            batch.forEach(pending -> pending.pass("meta.operation.decided"));
            log.commit(new LogEntry(store.appliedIndex() + 1, nowMillis, draft.changes()));
            CrashPoint.hit("meta.batch.after-commit");
            batch.forEach(pending -> pending.pass("meta.operation.committed"));
            committed.accept(draft);
        }
        for (Pending<?, ?, ?> pending : batch) {
            conclude(pending, this::enqueue);
        }
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

    private TatamiException unreadable(UncheckedIOException e) {
        return new TatamiException(ErrorCode.UNAVAILABLE, id + " cannot read its store: " + e.getMessage(), e);
    }

    private static TatamiException expired() {
        return new TatamiException(ErrorCode.DEADLINE_EXCEEDED, "the request waited too long to be begun");
    }

    private void stop(TatamiException reason) {
        stopped = reason;
    }

    private void failWaiting() {
        TatamiException reason = stopped;
        if (reason == null) {
            return;
        }
        for (Pending<?, ?, ?> pending = queue.poll(); pending != null; pending = queue.poll()) {
            pending.fail(reason);
        }
    }

    /** Lets the batch in work end; whatever waits fails with UNAVAILABLE. Not to be called on the group's thread. */
    @Override
    public void close() {
        if (stopped == null) {
            stop(new TatamiException(ErrorCode.UNAVAILABLE, id + " is closed"));
        }
        // RocksDB's calls are native and not ended by this; only the wait for a request is.
        thread.interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        failWaiting();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
