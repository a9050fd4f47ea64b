package io.tatami.rpc.netty.server;

import io.tatami.rpc.CallContext;
import io.tatami.rpc.RequestScope;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs where the time of slow calls went. At most {@value #LINES_MAX} lines in ten seconds; the next line says how many
 * calls were left out. Safe for use by many threads.
 */
public final class SlowRequests {
    private static final Logger LOG = LoggerFactory.getLogger(SlowRequests.class);
    private static final int LINES_MAX = 50;
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final long slowNanos;
    private final AtomicLong periodBegan = new AtomicLong();
    private final AtomicInteger lines = new AtomicInteger();

    /** @param slowNanos from which on a call is slow; 0 for never */
    public SlowRequests(long slowNanos) {
        this.slowNanos = slowNanos;
    }

    /** A call has ended, however it did, {@code tookNanos} after it arrived. */
    void ended(ServerCall<?> call, long nowNanos, long tookNanos) {
        if (slowNanos > 0 && tookNanos >= slowNanos) {
            log(call, nowNanos, TimeUnit.NANOSECONDS.toMillis(tookNanos));
        }
    }

    private void log(ServerCall<?> call, long nowNanos, long tookMillis) {
        long began = periodBegan.get();
        if (nowNanos - began >= PERIOD_NANOS && periodBegan.compareAndSet(began, nowNanos)) {
            int leftOut = lines.getAndSet(0) - LINES_MAX;
            if (leftOut > 0) {
                LOG.warn("{} more slow calls were not logged", leftOut);
            }
        }
        if (lines.incrementAndGet() > LINES_MAX) {
            return;
        }
        CallContext context = call.context();
        RequestScope before = RequestScope.enter(call);
        try {
            LOG.warn(
                    "{} of {} at {} took {} ms: {}",
                    call.method(),
                    context.user().user(),
                    context.peer().sameHost() ? "this host" : context.peer().address(),
                    tookMillis,
                    call.times(nowNanos));
        } finally {
            RequestScope.leave(before);
        }
    }
}
