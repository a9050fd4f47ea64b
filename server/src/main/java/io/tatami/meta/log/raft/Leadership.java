package io.tatami.meta.log.raft;

import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells a replica's listener who leads, in order and on a thread of its own, while Ratis goes on. A log that has lost
 * its leadership is ended at once, before the listener hears of it.
 */
final class Leadership implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);

    /** What is told of a term of leadership. */
    interface Term {
        /** On the thread of the listener. */
        void begin(RatisLog log);
    }

    private final RaftReplica.Listener listener;
    private final ExecutorService thread;
    private final AtomicReference<@Nullable RatisLog> current = new AtomicReference<>();
    /** Owned by the thread: the listener was told that the replica leads. */
    private boolean leading;
    /** Owned by the thread: completes when nobody uses the store. */
    private CompletableFuture<?> released = CompletableFuture.completedFuture(null);

    private boolean failed;

    Leadership(String name, RaftReplica.Listener listener) {
        this.listener = listener;
        this.thread = Executors.newSingleThreadExecutor(Threads.daemons(name));
    }

    /** The replica leads, and has applied all that came before. */
    void gained(Supplier<RatisLog> logs, Term term) {
        RatisLog log = logs.get();
        depose(current.getAndSet(log));
        tell(() -> {
            follow();
            // Ratis goes on meanwhile, and the store is nobody else's.
            released.join();
            if (!failed) {
                leading = true;
                term.begin(log);
            }
        });
    }

    /** The replica leads no more. */
    void lost() {
        depose(current.getAndSet(null));
        tell(this::follow);
    }

    /** The replica takes no further part. */
    void failed(TatamiException reason) {
        depose(current.getAndSet(null));
        tell(() -> {
            if (!failed) {
                failed = true;
                follow();
                listener.failed(reason);
            }
        });
    }

    /** The replica takes no part for now. */
    void excluded() {
        depose(current.getAndSet(null));
        tell(() -> {
            if (!failed) {
                follow();
                listener.excluded();
            }
        });
    }

    /** Completes when the store is nobody's but the replica's. */
    CompletableFuture<Void> released() {
        depose(current.getAndSet(null));
        CompletableFuture<Void> idle = new CompletableFuture<>();
        boolean told = tell(() -> {
            follow();
            CompletableFuture<?> unused = released.whenComplete((none, thrown) -> idle.complete(null));
            assert unused != idle;
        });
        return told ? idle : CompletableFuture.completedFuture(null);
    }

    private void follow() {
        if (leading) {
            leading = false;
            released = listener.follows();
        }
    }

    private static void depose(@Nullable RatisLog log) {
        if (log != null) {
            log.depose();
        }
    }

    private boolean tell(Runnable event) {
        try {
            thread.execute(() -> {
                try {
                    event.run();
                } catch (RuntimeException | Error e) {
                    LOG.error("A bug in Tatami: the listener of a replica failed", e);
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Returns when nobody uses the store any more; not to be called on the listener's thread. */
    @Override
    public void close() {
        released().join();
        thread.shutdown();
    }
}
