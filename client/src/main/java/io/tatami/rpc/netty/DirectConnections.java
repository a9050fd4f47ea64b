package io.tatami.rpc.netty;

import com.sun.management.UnixOperatingSystemMXBean;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import java.lang.management.ManagementFactory;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections to one server on which callers read their replies themselves, beside the one that all share. Who
 * makes few calls, and who finds all of them taken, uses the shared one. Safe for use by many threads.
 */
final class DirectConnections {
    private static final Logger LOG = LoggerFactory.getLogger(DirectConnections.class);

    /** So many calls are made before a connection is worth its handshake. */
    private static final int CALLS_BEFORE = 32;

    private final Dial dial;
    private final UUID cluster;

    /** The one that was used last comes first, so that those that are too many become stale. */
    private final ConcurrentLinkedDeque<DirectConnection> idle = new ConcurrentLinkedDeque<>();

    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger calls = new AtomicInteger();
    private volatile boolean closed;
    private volatile boolean refused;

    DirectConnections(Dial dial, UUID cluster) {
        this.dial = dial;
        this.cluster = cluster;
    }

    UUID cluster() {
        return cluster;
    }

    /** How many there are now, idle and taken. */
    int opened() {
        return opened.get();
    }

    /** One for a call, to be given back after it; null where the call goes over the shared connection. */
    @Nullable
    DirectConnection take() {
        DirectConnection free = idle.pollFirst();
        while (free != null && free.isStale()) {
            end(free);
            free = idle.pollFirst();
        }
        return free == null ? open() : free;
    }

    void giveBack(DirectConnection connection) {
        if (!connection.isReusable()) {
            end(connection);
            return;
        }
        connection.rest();
        idle.addFirst(connection);
        if (closed) {
            close();
        }
    }

    /** Closes those that have not been used for long. */
    void closeStale() {
        DirectConnection last = idle.pollLast();
        while (last != null && last.isStale()) {
            end(last);
            last = idle.pollLast();
        }
        if (last != null) {
            idle.addLast(last);
        }
        if (closed) {
            close();
        }
    }

    /** Closes those that are idle; who waits on another one gives up within some milliseconds. */
    void close() {
        closed = true;
        DirectConnection next = idle.pollFirst();
        while (next != null) {
            end(next);
            next = idle.pollFirst();
        }
    }

    private void end(DirectConnection connection) {
        opened.decrementAndGet();
        connection.close();
    }

    private @Nullable DirectConnection open() {
        int max = dial.directMax();
        if (closed || refused || opened.get() >= max || calls.incrementAndGet() <= CALLS_BEFORE) {
            return null;
        }
        if (opened.incrementAndGet() > max) {
            opened.decrementAndGet();
            return null;
        }
        try {
            leaveFilesToOthers();
            return DirectConnection.open(dial, cluster, () -> closed);
        } catch (TatamiException e) {
            opened.decrementAndGet();
            refused |= e.code() != ErrorCode.CANCELLED;
            LOG.debug("no connection of its own for a caller of {}", dial.server(), e);
            return null;
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
