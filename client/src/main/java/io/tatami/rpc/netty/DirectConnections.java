package io.tatami.rpc.netty;

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
 * The connections to one server on which callers read their replies themselves, beside the one that all share. The
 * changes of a group, which its thread decides, go over connections that this thread serves; reads and the rest go over
 * others. Who makes few calls, and who finds all of them taken, uses the shared one. Safe for use by many threads.
 */
final class DirectConnections {
    private static final Logger LOG = LoggerFactory.getLogger(DirectConnections.class);

    /** So many calls are made in vain before a connection is worth its handshake. */
    private static final int CALLS_BEFORE = 32;

    /** So long none is asked for when one could not be had: a server may have too many, or a group just end here. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Dial dial;
    private final UUID cluster;

    /** By the group whose changes they are for; empty for the rest. */
    private final Map<Optional<GroupId>, Line> lines = new ConcurrentHashMap<>();

    private final AtomicInteger opened = new AtomicInteger();
    private volatile boolean closed;
    private volatile long restEndNanos;

    DirectConnections(Dial dial, UUID cluster) {
        this.dial = dial;
        this.cluster = cluster;
        this.restEndNanos = dial.clock().monotonicNanos();
    }

    UUID cluster() {
        return cluster;
    }

    /** How many there are now, idle and taken. */
    int opened() {
        return opened.get();
    }

    /** Where a call with these options takes one from. A number in the session is what only changes have. */
    Line line(CallOptions options) {
        GroupId changed = options.number() == 0 ? null : options.group();
        return lines.computeIfAbsent(Optional.ofNullable(changed), group -> new Line(group.orElse(null)));
    }

    /** Closes those that have not been used for long. */
    void closeStale() {
        lines.values().forEach(Line::closeStale);
    }

    /** Closes those that are idle; who waits on another one gives up within some milliseconds. */
    void close() {
        closed = true;
        lines.values().forEach(Line::closeIdle);
    }

    private void end(DirectConnection connection) {
        opened.decrementAndGet();
        connection.close();
    }

    /** Those for the changes of one group, or for all else. */
    final class Line {
        private final @Nullable GroupId group;

        /** The one that was used last comes first, so that those that are too many become stale. */
        private final ConcurrentLinkedDeque<DirectConnection> idle = new ConcurrentLinkedDeque<>();

        private final AtomicInteger callsInVain = new AtomicInteger();

        private Line(@Nullable GroupId group) {
            this.group = group;
        }

        /** One for a call, to be given back after it; null where the call goes over the shared connection. */
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

        /** Whether there may be one more, as there are not too many, or an idle one of another line was closed. */
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
            // One that is not stale stays where it is: a caller who missed it would open another.
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

    /** Each takes four file descriptors, without which all goes on as well: others may need them to go on at all. */
    private static void leaveFilesToOthers() throws TatamiException {
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean process
                && process.getOpenFileDescriptorCount() > process.getMaxFileDescriptorCount() / 2) {
            throw new TatamiException(ErrorCode.BUSY, "half of the files that the process may open are open");
        }
    }
}
