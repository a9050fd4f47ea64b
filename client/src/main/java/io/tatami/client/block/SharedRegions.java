package io.tatami.client.block;

import io.tatami.base.Check;
import io.tatami.base.Clock;
import io.tatami.base.ErrorCode;
import io.tatami.base.TatamiException;
import io.tatami.rpc.Connection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link SharedRegion}s of a client's readers, or of its writers. One that no stream uses waits for the next stream
 * of the same connection, and goes back to the server when none came for some seconds. Safe for use by many threads.
 */
final class SharedRegions {
    /** Shorter streams are no dearer by the connection. */
    static final long STREAM_BYTES_MIN = 256 << 10;

    /** Opening a region costs a call to the server and some milliseconds: so much passes by the connection before. */
    private static final long OPENED_AFTER_BYTES = 2L * SharedUnits.UNIT_BYTES;

    private static final Logger LOG = LoggerFactory.getLogger(SharedRegions.class);
    private static final long IDLE_SECONDS_MAX = 10;

    /** A reader that waits for longer goes to another copy. */
    static final long OFFER_MILLIS_MAX = 1_000;

    /** After a refusal, which costs a call or the wait for one; what there was no memory for goes by the connection. */
    private static final long REST_SECONDS = 30;

    private static final Executor LATER = CompletableFuture.delayedExecutor(IDLE_SECONDS_MAX, TimeUnit.SECONDS);

    private final int units;
    private final boolean written;
    private final Clock clock;
    private final Map<Connection, Place> places = new ConcurrentHashMap<>();

    /** The memory of one connection; its own monitor guards it. */
    private static final class Place {
        /** The one used last comes first. */
        private final Deque<SharedRegion> idle = new ArrayDeque<>();

        private boolean sweepIsDue;

        /** Of streams since a region was last asked for, for which none was idle. */
        private long unservedBytes;

        /** Whether the last region that was asked for could not be had, until when none is asked for. */
        private boolean resting;

        private long restEndNanos;
    }

    /**
     * @param units of each region; 0 for none at all
     * @param written whether they are for writers
     */
    SharedRegions(int units, boolean written, Clock clock) {
        this.clock = clock;
        this.units = units;
        this.written = written;
    }

    boolean hasNone() {
        return units == 0;
    }

    /**
     * A region for a stream, or {@link RegionLease#NONE} where there is none to be had. May wait for the server. Not to
     * be called where {@link #hasNone} holds.
     *
     * @param connection to a server of this host
     * @param lengthBytes how long the stream may get, at least {@link #STREAM_BYTES_MIN}; for one short stream alone no
     *     region is asked for
     */
    RegionLease lease(Connection connection, long lengthBytes) throws TatamiException {
        Check.check(!hasNone(), "memory is shared with nobody");
        Place place = place(connection);
        synchronized (place) {
            if (place.resting && clock.monotonicNanos() - place.restEndNanos < 0) {
                return RegionLease.NONE;
            }
            place.resting = false;
            if (!place.idle.isEmpty()) {
                return RegionLease.of(place.idle.pop(), this);
            }
            place.unservedBytes += lengthBytes;
            if (place.unservedBytes < OPENED_AFTER_BYTES) {
                return RegionLease.NONE;
            }
            place.unservedBytes = 0;
        }
        try {
            return RegionLease.of(SharedRegion.open(connection, units, written, OFFER_MILLIS_MAX), this);
        } catch (TatamiException e) {
            if (e.code() == ErrorCode.CANCELLED) {
                throw e;
            }
            LOG.debug("no memory is shared with {}", connection.peer(), e);
            if (e.code() != ErrorCode.BUSY) {
                synchronized (place) {
                    place.resting = true;
                    place.restEndNanos = clock.monotonicNanos() + TimeUnit.SECONDS.toNanos(REST_SECONDS);
                }
            }
            return RegionLease.NONE;
        }
    }

    /** Neither the stream that it was leased for uses it any more, nor the server. */
    void giveBack(SharedRegion region) {
        Connection connection = region.connection();
        Place place = place(connection);
        synchronized (place) {
            if (connection.isOpen()) {
                region.becameIdle(clock.monotonicNanos());
                place.idle.push(region);
                sweepLater(place);
                return;
            }
        }
        region.close();
    }

    /** Under the place's monitor. */
    private void sweepLater(Place place) {
        if (!place.sweepIsDue && !place.idle.isEmpty()) {
            place.sweepIsDue = true;
            LATER.execute(() -> sweep(place));
        }
    }

    /** Closes the regions that nobody wanted since the last sweep or longer. */
    private void sweep(Place place) {
        List<SharedRegion> unwanted = new ArrayList<>();
        synchronized (place) {
            long limitNanos = clock.monotonicNanos() - TimeUnit.SECONDS.toNanos(IDLE_SECONDS_MAX);
            while (!place.idle.isEmpty() && place.idle.getLast().idleSinceNanos() - limitNanos <= 0) {
                unwanted.add(place.idle.removeLast());
            }
            place.sweepIsDue = false;
            sweepLater(place);
        }
        unwanted.forEach(SharedRegion::close);
    }

    private Place place(Connection connection) {
        Place known = places.get(connection);
        if (known != null) {
            return known;
        }
        Place added = places.computeIfAbsent(connection, unused -> new Place());
        CompletableFuture<Void> unused = connection.closed().thenRun(() -> places.remove(connection));
        return added;
    }
}
