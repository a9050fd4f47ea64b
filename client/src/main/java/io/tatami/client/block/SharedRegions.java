package io.tatami.client.block;

import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.rpc.Connection;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link SharedRegion}s of a client. One that nobody reads into waits for the next reader of the same connection, and
 * goes back to the server when none came for some seconds. Safe for use by many threads.
 */
final class SharedRegions {
    private static final Logger LOG = LoggerFactory.getLogger(SharedRegions.class);
    private static final long IDLE_SECONDS_MAX = 10;
    private static final long OFFER_MILLIS_MAX = 2_000;
    private static final Executor LATER = CompletableFuture.delayedExecutor(IDLE_SECONDS_MAX, TimeUnit.SECONDS);

    private final int units;
    private final Map<Connection, Deque<SharedRegion>> idle = new HashMap<>();
    private final Set<Connection> withoutMemory = new HashSet<>();

    /** @param units of each region; 0 for none at all */
    SharedRegions(int units) {
        this.units = units;
    }

    /** A region that is the caller's until it is given back; null where there is none to be had. May wait for the server. */
    @Nullable
    SharedRegion lease(Connection connection) throws TatamiException {
        if (units == 0 || !connection.isSameHost()) {
            return null;
        }
        synchronized (this) {
            if (withoutMemory.contains(connection)) {
                return null;
            }
            Deque<SharedRegion> free = idle.get(connection);
            if (free != null && !free.isEmpty()) {
                return free.pop();
            }
        }
        try {
            return SharedRegion.open(connection, units, OFFER_MILLIS_MAX);
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.CANCELLED) {
                throw e;
            }
            LOG.debug("reading from {} without shared memory", connection.peer(), e);
            if (e.code() != ErrorCode.BUSY) {
                giveUp(connection);
            }
            return null;
        }
    }

    /** Nobody reads from it any more, nor does the stream that it was leased for. */
    void giveBack(SharedRegion region) {
        Connection connection = region.connection();
        synchronized (this) {
            if (connection.isOpen()) {
                idle.computeIfAbsent(connection, unused -> new ArrayDeque<>()).push(region);
                int uses = region.countUse();
                LATER.execute(() -> closeIfIdle(region, uses));
                return;
            }
        }
        region.close();
    }

    /** @param uses how often it had been used when it became idle */
    private void closeIfIdle(SharedRegion region, int uses) {
        synchronized (this) {
            Deque<SharedRegion> free = idle.get(region.connection());
            if (free == null || region.uses() != uses || !free.remove(region)) {
                return;
            }
            if (free.isEmpty()) {
                idle.remove(region.connection());
            }
        }
        region.close();
    }

    private void giveUp(Connection connection) {
        synchronized (this) {
            withoutMemory.add(connection);
        }
        CompletableFuture<Void> unused = connection.closed().thenRun(() -> forget(connection));
    }

    private synchronized void forget(Connection connection) {
        withoutMemory.remove(connection);
    }
}
