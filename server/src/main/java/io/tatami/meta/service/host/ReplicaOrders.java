package io.tatami.meta.service.host;

import io.tatami.base.Clock;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.base.UuidBytes;
import io.tatami.protocol.wire.HandOver;
import io.tatami.protocol.wire.ReportMetadataServerReply;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Follows what the cluster orders of this server's replicas, in a thread of its own, and marks its directory every
 * minute. Orders that come meanwhile are left: what is still to be done then is ordered again with the next report.
 * Safe for use by many threads.
 */
final class ReplicaOrders implements AutoCloseable {
    private static final long END_SECONDS = 60;
    private static final long MARK_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final Logger LOG = LoggerFactory.getLogger(ReplicaOrders.class);

    private final HostedGroups groups;
    private final Clock clock;
    private long markedNanos;
    private final AtomicBoolean following = new AtomicBoolean();
    private final ExecutorService thread = Executors.newSingleThreadExecutor(Threads.daemons("replica-orders"));

    ReplicaOrders(HostedGroups groups, Clock clock) {
        this.groups = groups;
        this.clock = clock;
        this.markedNanos = clock.monotonicNanos();
    }

    /** Returns at once. */
    void follow(ReportMetadataServerReply orders) {
        if (!following.compareAndSet(false, true)) {
            return;
        }
        try {
            thread.execute(() -> {
                try {
                    run(orders);
                } finally {
                    following.set(false);
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("the server is being closed", e);
        }
    }

    private void run(ReportMetadataServerReply orders) {
        for (int group : orders.getDropGroupList()) {
            attempt("drop its replica of", new GroupId(group), () -> groups.drop(new GroupId(group)));
        }
        for (int group : orders.getReplicateGroupList()) {
            attempt("replicate", new GroupId(group), () -> groups.replicate(new GroupId(group)));
        }
        for (int group : orders.getOpenGroupList()) {
            attempt("open a replica of", new GroupId(group), () -> groups.add(new GroupId(group)));
        }
        for (HandOver over : orders.getHandOverList()) {
            groups.handOver(
                    new GroupId(over.getGroup()),
                    UuidBytes.get(over.getServerId().asReadOnlyByteBuffer()));
        }
        markIfDue();
        for (GroupId group : groups.idle()) {
            attempt("have its replica take part again of", group, () -> groups.reopen(group));
        }
    }

    private void markIfDue() {
        if (clock.monotonicNanos() - markedNanos < MARK_NANOS) {
            return;
        }
        markedNanos = clock.monotonicNanos();
        try {
            groups.mark();
        } catch (TatamiException e) {
            LOG.warn("this server's directory cannot be marked; that is tried again in a minute", e);
        }
    }

    private interface Order {
        void run() throws TatamiException;
    }

    private static void attempt(String what, GroupId group, Order order) {
        try {
            order.run();
        } catch (TatamiException | RuntimeException e) {
            LOG.warn("this server could not {} {}; that is tried again with the next order", what, group, e);
        }
    }

    /**
     * Returns when nothing is being opened or dropped any more; not interrupted, which would tear what is being
     * written.
     */
    @Override
    public void close() {
        thread.shutdown();
        boolean interrupted = false;
        try {
            while (!thread.awaitTermination(END_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("a replica is still being opened or dropped");
            }
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
