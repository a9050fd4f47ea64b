package io.tatami.meta.service.file;

import io.tatami.base.Clock;
import io.tatami.base.RecentCount;
import io.tatami.base.ServerId;
import io.tatami.meta.op.write.WriterLoads;
import io.tatami.protocol.wire.GiveCreditsRequest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How many writers each block server has, as far as a shard's leader knows: what the server told last with its credits,
 * and what the leader has granted there since. A grant that is not written is forgotten within {@link
 * RecentCount#SPAN_MILLIS} and one more telling. A server that has told nothing for a while is taken for one with as
 * many writers as the mean: it is neither left out nor flooded.
 *
 * <p>In memory only: it begins anew with each leader's process, and what was told to an earlier one is soon too old.
 * Safe for use by many threads; {@link #on} takes no lock, as it is asked of every server for each block.
 */
final class WriterCounts implements WriterLoads {
    static final long STALE_MILLIS = 10_000;

    /** Between two looks for what is too old. */
    static final long LOOK_MILLIS = 500;

    /** Servers with higher ids are not counted: what one entry each may take. */
    private static final int IDS_MAX = 1 << 16;

    private final Clock clock;

    /** Guarded by this. */
    private final Map<ServerId, Writers> byServer = new HashMap<>();

    /** By id; written with the lock held, and read without. */
    private volatile int[] loads = {};

    /** Guarded by this, as is the other. */
    private int meanTold;

    private long nextLookNanos;

    WriterCounts(Clock clock) {
        this.clock = clock;
        this.nextLookNanos = clock.monotonicNanos();
    }

    @Override
    public int on(ServerId server) {
        int[] all = loads;
        return server.value() < all.length ? all[server.value()] : 0;
    }

    @Override
    public synchronized void granted(ServerId server) {
        long now = clock.monotonicNanos();
        Writers writers = of(server);
        if (writers != null) {
            writers.granted(now);
            show(server, writers, now);
        }
        look(now);
    }

    /** A server gave credits, or asked how many are left, and told of its writers. */
    synchronized void told(GiveCreditsRequest request) {
        ServerId server = new ServerId(request.getServerId());
        long now = clock.monotonicNanos();
        Writers writers = of(server);
        if (writers != null) {
            if (request.hasWriters()) {
                writers.told(request.getWriters(), request.getWritersOpened(), now);
            }
            show(server, writers, now);
        }
        look(now);
    }

    private @Nullable Writers of(ServerId server) {
        int id = server.value();
        if (id < 0 || id >= IDS_MAX) {
            return null;
        }
        if (id >= loads.length) {
            loads = Arrays.copyOf(loads, Math.min(IDS_MAX, Math.max(id + 1, loads.length * 2)));
        }
        return byServer.computeIfAbsent(server, absent -> new Writers());
    }

    private void show(ServerId server, Writers writers, long now) {
        loads[server.value()] = writers.load(now, meanTold);
    }

    /** Now and then, has those that are too old count no more. */
    private void look(long now) {
        if (now - nextLookNanos < 0) {
            return;
        }
        nextLookNanos = now + TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);
        meanTold = (int) Math.round(byServer.values().stream()
                .filter(writers -> writers.isFresh(now))
                .mapToInt(writers -> writers.told)
                .average()
                .orElse(0));
        byServer.forEach((server, writers) -> show(server, writers, now));
    }

    /** Of one server. */
    private static final class Writers {
        private final RecentCount grants = new RecentCount();
        private boolean isKnown;
        private long toldNanos;
        private int told;

        /** Granted before the server told, and not opened when it did. */
        private int unopened;

        /** Granted since. */
        private int since;

        void granted(long now) {
            grants.add(now);
            since++;
        }

        void told(int writers, int opened, long now) {
            isKnown = true;
            toldNanos = now;
            told = writers;
            unopened = Math.max(0, grants.total(now) - opened);
            since = 0;
        }

        boolean isFresh(long now) {
            return isKnown && now - toldNanos <= TimeUnit.MILLISECONDS.toNanos(STALE_MILLIS);
        }

        int load(long now, int mean) {
            return isFresh(now) ? told + unopened + since : mean + grants.total(now);
        }
    }
}
