package io.tatami.rpc.netty.client;

import com.sun.management.UnixOperatingSystemMXBean;
import io.tatami.base.ErrorCode;
import io.tatami.base.GroupId;
import io.tatami.base.TatamiException;
import io.tatami.rpc.CallOptions;
import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections to one server on which a calling thread reads its own reply, beside the shared connection. Changes of
 * a group use connections that the group's thread serves; reads and other calls use others. A client with few calls
 * uses the shared connection, and so does a call that finds all of these taken. Safe for use by many threads.
 */
public final class DirectConnections {
    private static final Logger LOG = LoggerFactory.getLogger(DirectConnections.class);

    /** Calls without a free connection after which one more is worth its handshake. */
    private static final int CALLS_BEFORE = 32;

    /**
     * The pause after a connection was refused: the server may have too many, or the group's term may just have ended.
     */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ConnectTarget dial;
    private final UUID cluster;

    /** By the group whose changes they carry; empty for other calls. */
    private final Map<Optional<GroupId>, Line> lines = new ConcurrentHashMap<>();

    private final AtomicInteger opened = new AtomicInteger();
    private volatile boolean closed;
    private volatile long restEndNanos;

    DirectConnections(ConnectTarget dial, UUID cluster) {
        this.dial = dial;
        this.cluster = cluster;
        this.restEndNanos = dial.clock().monotonicNanos();
    }

    UUID cluster() {
        return cluster;
    }

    /** The number of connections, idle and taken. */
    public int opened() {
        return opened.get();
    }

    /** The connections for a call with these options. Only changes have a number in the session. */
    Line line(CallOptions options) {
        GroupId changed = options.number() == 0 ? null : options.group();
        return lines.computeIfAbsent(Optional.ofNullable(changed), group -> new Line(group.orElse(null)));
    }

    /** Closes connections that were idle for long. */
    void closeStale() {
        lines.values().forEach(Line::closeStale);
    }

    /** Closes idle connections; a caller that waits on a taken one gives up within some milliseconds. */
    void close() {
        closed = true;
        lines.values().forEach(Line::closeIdle);
    }

    private void end(DirectConnection connection) {
        opened.decrementAndGet();
        connection.close();
    }

    /** The connections for the changes of one group, or for all other calls. */
    final class Line {
        private final @Nullable GroupId group;

        /** The most recently used one first, so that surplus ones become stale. */
        private final ConcurrentLinkedDeque<DirectConnection> idle = new ConcurrentLinkedDeque<>();

        private final AtomicInteger callsInVain = new AtomicInteger();

        private Line(@Nullable GroupId group) {
            this.group = group;
        }

        /** A connection for one call, to be given back after it; null if the call is to use the shared connection. */
        @Nullable
        DirectConnection take() {
            DirectConnection free = takeIdle();
            if (free != null || callsInVain.incrementAndGet() <= CALLS_BEFORE) {
                return free;
            }
            return isRoomMade() ? open() : null;
        }

        private @Nullable DirectConnection takeIdle() {
            DirectConnection free = idle.pollFirst();
            while (free != null && free.isStale()) {
                end(free);
                free = idle.pollFirst();
            }
            return free;
        }

        void giveBack(DirectConnection connection) {
            if (!connection.isReusable()) {
                end(connection);
                return;
            }
            connection.rest();
            idle.addFirst(connection);
            if (closed) {
                closeIdle();
            }
        }

        /**
         * Whether one more connection may be opened: the limit is not reached, or an idle connection of another line
         * was closed.
         */
        private boolean isRoomMade() {
            if (opened.get() < dial.directMax()) {
                return true;
            }
            callsInVain.set(0);
            return isOtherClosed();
        }

        private boolean isOtherClosed() {
            for (Line other : lines.values()) {
                DirectConnection last = other == this ? null : other.idle.pollLast();
                if (last != null) {
                    end(last);
                    return true;
                }
            }
            return false;
        }

        private @Nullable DirectConnection open() {
            if (closed || dial.clock().monotonicNanos() - restEndNanos < 0) {
                return null;
            }
            if (opened.incrementAndGet() > dial.directMax()) {
                opened.decrementAndGet();
                return null;
            }
            try {
                leaveFilesToOthers();
                return DirectConnection.open(dial, cluster, group, () -> closed);
            } catch (TatamiException e) {
                opened.decrementAndGet();
                if (e.code() != ErrorCode.CANCELLED) {
                    restEndNanos = dial.clock().monotonicNanos() + REST_NANOS;
                }
                LOG.debug("no connection of its own for a caller of {}", dial.server(), e);
                return null;
            }
        }

        private void closeStale() {
            // A fresh connection stays in the queue: a caller that missed it would open another.
            DirectConnection last = idle.peekLast();
            while (last != null && last.isStale()) {
                if (idle.removeLastOccurrence(last)) {
                    end(last);
                }
                last = idle.peekLast();
            }
            if (closed) {
                closeIdle();
            }
        }

        private void closeIdle() {
            DirectConnection next = idle.pollFirst();
            while (next != null) {
                end(next);
                next = idle.pollFirst();
            }
        }
    }

    /**
     * Throws if half of the process's file descriptors are in use. A connection takes four, and the client works
     * without it.
     */
    private static void leaveFilesToOthers() throws TatamiException {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean process
                && process.getOpenFileDescriptorCount() > process.getMaxFileDescriptorCount() / 2) {
            throw new TatamiException(
                    ErrorCode.BUSY, "half of the process's file descriptors are in use; raise the limit (ulimit -n)");
        }
    }
}
