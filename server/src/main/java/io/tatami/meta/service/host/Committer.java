package io.tatami.meta.service.host;

import io.tatami.base.CrashPoint;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.meta.log.CommitLog;
import io.tatami.meta.log.LogEntry;
import io.tatami.meta.state.Draft;
import io.tatami.meta.store.GroupStore;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;

/**
 * Makes a group's batches durable, one at a time and in order, on a thread of its own: the next batch is decided
 * meanwhile. The first failure ends it; nothing is known of that batch.
 */
final class Committer implements AutoCloseable {
    private final GroupStore store;
    private final CommitLog log;
    private final Listener listener;
    /** A batch, and behind it that there will be none. */
    private final BlockingQueue<Optional<Batch>> handedOver = new ArrayBlockingQueue<>(2);

    private final Thread thread;

    /** Who hands batches over; called on the committer's thread. */
    interface Listener {
        /** What a batch with changes did is durable. */
        void committed(Draft changes);

        /** All that the batch was decided on, and what it changed itself, is durable: its requests can be answered. */
        void settled(Batch batch);

        /** Nothing further will be taken. */
        void failed(Batch batch, Throwable cause);
    }

    Committer(String name, GroupStore store, CommitLog log, Listener listener) {
        this.store = store;
        this.log = log;
        this.listener = listener;
        this.thread = Threads.daemon(this::run, name);
    }

    void start() {
        thread.start();
    }

    /** Takes a batch after the one before it was settled. */
    void take(Batch batch) {
        handedOver.add(Optional.of(batch));
    }

    private void run() {
        while (true) {
            Batch batch;
            try {
                batch = handedOver.take().orElse(null);
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts this thread, which would close the log's file", e);
            }
            if (batch == null) {
                return;
            }
            try {
                commit(batch);
                listener.settled(batch);
            } catch (TatamiException | RuntimeException | Error e) {
                listener.failed(batch, e);
                return;
            }
        }
    }

    private void commit(Batch batch) throws TatamiException {
        if (batch.draft().isEmpty()) {
            Awaiting.result(log.confirm());
            return;
        }
        CrashPoint.hit("meta.batch.before-commit");
        batch.decided().forEach(pending -> pending.pass("meta.operation.decided"));
        log.commit(new LogEntry(
                store.appliedIndex() + 1, batch.logMillis(), batch.draft().changes()));
        CrashPoint.hit("meta.batch.after-commit");
        batch.decided().forEach(pending -> pending.pass("meta.operation.committed"));
        listener.committed(batch.draft());
    }

    /** Gives a batch back that was not begun, where there is one. */
    void giveBack(Consumer<Batch> owner) {
        Optional<Batch> batch = handedOver.poll();
        if (batch != null) {
            batch.ifPresent(owner);
        }
    }

    /** Lets the batch in work end. Called once nothing is handed over any more. */
    @Override
    public void close() {
        boolean unused = handedOver.offer(Optional.empty());
        Threads.joinUninterrupted(thread);
    }
}
