package io.tatami.meta.service.lead;

import io.tatami.meta.service.BackgroundTask;
import io.tatami.meta.state.Draft;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one background task again and again, as {@link BackgroundTask} says. Guarded by its own lock. */
public final class BackgroundRunner {
    private static final long PAUSE_MILLIS_MIN = 100;
    private static final long PAUSE_MILLIS_MAX = 60_000;
    private static final Logger LOG = LoggerFactory.getLogger(BackgroundRunner.class);

    private final String name;
    private final BackgroundTask task;
    private final ScheduledExecutorService timer;
    private long pauseMillis = PAUSE_MILLIS_MIN;
    private boolean running;
    private boolean wanted;
    private boolean closed;
    private @Nullable ScheduledFuture<?> next;

    public BackgroundRunner(String name, BackgroundTask task, ScheduledExecutorService timer) {
        this.name = name;
        this.task = task;
        this.timer = timer;
    }

    /** Ends the rest as soon as the task lets it end, or has the run under way be followed by another. */
    public synchronized void wake() {
        if (running) {
            wanted = true;
        } else {
            schedule(0);
        }
    }

    /** {@link #wake} where a batch has records that end the task's rest. */
    public void wakeOn(Draft committed, String wakingKinds) {
        if (wakingKinds.isEmpty()) {
            return;
        }
        for (byte[] key : committed.changes().keySet()) {
            if (wakingKinds.indexOf(key[0]) >= 0 && task.isWokenBy(key)) {
                wake();
                return;
            }
        }
    }

    private void schedule(long millis) {
        schedule(this::run, millis);
    }

    private synchronized void schedule(Runnable step, long millis) {
        if (closed) {
            return;
        }
        if (next != null) {
            next.cancel(false);
        }
        try {
            next = timer.schedule(step, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            closed = true;
            LOG.debug("{} ends with the process", name, e);
        }
    }

    private void run() {
        synchronized (this) {
            if (running || closed) {
                return;
            }
            running = true;
            wanted = false;
        }
        CompletableFuture<Duration> done;
        try {
            done = task.run();
        } catch (RuntimeException e) {
            done = CompletableFuture.failedFuture(e);
        }
        CompletableFuture<Void> unused = done.<Void>handle((rest, thrown) -> {
                    finished(rest, thrown);
                    return null;
                })
                .exceptionally(bug -> {
                    LOG.error("background task {} cannot go on", name, bug);
                    return null;
                });
    }

    private synchronized void finished(@Nullable Duration rest, @Nullable Throwable thrown) {
        if (thrown != null || rest == null) {
            if (!closed) {
                LOG.info("background task {} failed and is tried again: {}", name, String.valueOf(thrown));
            }
            running = false;
            schedule(pauseMillis);
            pauseMillis = Math.min(PAUSE_MILLIS_MAX, pauseMillis * 2);
        } else {
            pauseMillis = PAUSE_MILLIS_MIN;
            long leastMillis = task.leastRest().toMillis();
            if (leastMillis == 0) {
                rest(rest.toMillis());
            } else {
                schedule(() -> rest(Math.max(0, rest.toMillis() - leastMillis)), leastMillis);
            }
        }
    }

    /** Until here the run counts as under way. */
    private synchronized void rest(long millis) {
        running = false;
        schedule(wanted ? 0 : millis);
    }

    public synchronized void close() {
        closed = true;
        if (next != null) {
            next.cancel(false);
        }
    }
}
