package io.tatami.server.console;

import io.tatami.base.Clock;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.server.status.StatusReport;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks all groups and block servers for their states, every so often and once for all who look, on a thread of its own;
 * keeps the newest answer, and what has changed from one to the next. After a failure, the previous answer stays. It
 * then grows older, and the failure is shown beside it. Safe for use by many threads.
 */
final class ClusterCollector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterCollector.class);

    private final LazyClient client;
    private final ClusterEvents events;
    private final Duration every;
    private final Clock clock;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(Threads.daemons("console-collector"));
    private final AtomicBoolean isWoken = new AtomicBoolean();
    private final GroupRates rates = new GroupRates();
    private volatile State state = new State(null, null);

    /**
     * What is known now.
     *
     * @param snapshot null where none was taken yet
     * @param failure of the last try; null where it succeeded, or there was none
     */
    record State(@Nullable Snapshot snapshot, @Nullable Failure failure) {}

    /** Why the cluster could not be asked. */
    record Failure(String reason, long atNanos) {}

    /** @param client of a superuser */
    ClusterCollector(LazyClient client, ClusterEvents events, Duration every, Clock clock) {
        this.client = client;
        this.events = events;
        this.every = every;
        this.clock = clock;
    }

    /** Begins to ask. To be called once. */
    void start() {
        var unused = thread.scheduleWithFixedDelay(this::collect, 0, every.toNanos(), TimeUnit.NANOSECONDS);
    }

    State state() {
        return state;
    }

    Optional<Snapshot> snapshot() {
        return Optional.ofNullable(state.snapshot());
    }

    Duration every() {
        return every;
    }

    /** Asks again soon, since something was changed. */
    void wake() {
        if (!thread.isShutdown() && isWoken.compareAndSet(false, true)) {
            thread.execute(() -> {
                isWoken.set(false);
                collect();
            });
        }
    }

    private void collect() {
        long beganNanos = clock.monotonicNanos();
        try {
            StatusReport report = StatusReport.of(client.get().cluster());
            state = new State(snapshot(report, beganNanos), null);
            events.saw(report);
        } catch (TatamiException e) {
            LOG.debug("the console could not ask the cluster", e);
            failed(String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            LOG.error("a bug in the console's questions to the cluster", e);
            failed("a bug in Tatami; this server's log has the details");
        }
    }

    private void failed(String reason) {
        state = new State(state.snapshot(), new Failure(reason, clock.monotonicNanos()));
        events.failed(reason);
    }

    private Snapshot snapshot(StatusReport report, long beganNanos) {
        ClusterJson json = new ClusterJson(report, rates.of(report, clock.monotonicNanos()));
        byte[] whole = json.cluster();
        byte[] pending = json.pending();
        byte[] plans = json.plans();
        long nowNanos = clock.monotonicNanos();
        return new Snapshot(
                report, nowNanos, TimeUnit.NANOSECONDS.toMillis(nowNanos - beganNanos), whole, pending, plans);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
