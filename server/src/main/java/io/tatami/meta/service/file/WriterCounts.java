package io.tatami.meta.service.file;

import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import io.tatami.cluster.RecentCount;
import io.tatami.meta.op.write.WriterLoads;
import io.tatami.protocol.wire.GiveCreditsRequest;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * How many writers each block server has, as far as a shard's leader knows: what the server told last with its credits,
 * and what the leader has granted there since, without the writers that have ended since. A grant that is not written
 * is forgotten within {@link RecentCount#SPAN_MILLIS} and one more telling. A server that has told nothing for a while
 * is taken for one with as many writers as the mean: it is neither left out nor flooded.
 *
 * <p>The leaders of several shards see the same server with few writers. Before the server tells the next time they do
 * not see each other's grants and ends. So that they do not bring it too many writers together, a leader multiplies its
 * own grants and ends: by the ratio of all openings that servers tell to those of its shard.
 *
 * <p>In memory only: it begins anew with each leader's process, and what was told to an earlier one is soon too old.
 * Safe for use by many threads; {@link #on} takes no lock, as it is asked of every server for each block.
 */
final class WriterCounts implements WriterLoads {
    static final long STALE_MILLIS = 10_000;

    /** Between two looks for what is too old. */
    static final long LOOK_MILLIS = 500;

    /** A shard that was quiet until now must not take its first grants for thousands. */
    private static final double GRANT_WEIGHT_MAX = 16;

    /** Servers with higher ids are not counted: what one entry each may take. */
    private static final int IDS_MAX = 1 << 16;

    private final Clock clock;

    /** Guarded by this. */
    private final Map<ServerId, Writers> byServer = new HashMap<>();

    /** By id; written with the lock held, and read without. */
    private volatile int[] loads = {};

    /** Guarded by this, as are the others. */
    private int meanTold;

    /** For each grant of this shard, the grants of all; ends of writers are taken to be in the same ratio. */
    private double grantWeight = 1;

    /**
     * The same when this shard was last one of those that opened blocks. It stands while none does: writers end then,
     * or a job is about to begin.
     */
    private double busyWeight = 1;

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
        change(server, Writers::granted);
    }

    @Override
    public synchronized void ended(ServerId server) {
        change(server, (writers, now) -> writers.ended++);
    }

    private void change(ServerId server, ObjLongConsumer<Writers> change) {
        long now = clock.monotonicNanos();
        Writers writers = of(server);
        if (writers != null) {
            change.accept(writers, now);
            show(server, writers, now);
        }
        look(now);
    }

    /** A server gave credits, or asked how many are left, and told of its writers. */
    synchronized void told(GiveCreditsRequest request) {
        change(new ServerId(request.getServerId()), (writers, now) -> {
            if (request.hasWriters()) {
                writers.told(request, now);
            }
        });
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
        loads[server.value()] = writers.load(now, meanTold, grantWeight);
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
        grantWeight = weight(now);
        byServer.forEach((server, writers) -> show(server, writers, now));
    }

    private double weight(long now) {
        long own = 0;
        long all = 0;
        for (Writers writers : byServer.values()) {
            if (writers.isFresh(now)) {
                own += writers.opened;
                all += writers.openedAll;
            }
        }
        if (all == 0) {
            return busyWeight;
        }
        double weight = Math.min(GRANT_WEIGHT_MAX, Math.max(1, (all + 1.0) / (own + 1)));
        if (own > 0) {
            busyWeight = weight;
        }
        return weight;
    }

    /** Of one server. */
    private static final class Writers {
        private final RecentCount grants = new RecentCount();
        private boolean isKnown;
        private long toldNanos;
        private int told;
        private int opened;
        private int openedAll;

        /** Granted before the server told, and not opened when it did. */
        private int unopened;

        /** Granted since. */
        private int since;

        /** Ended since; one that ended just before may be among them until the next telling. */
        private int ended;

        void granted(long now) {
            grants.add(now);
            since++;
        }

        void told(GiveCreditsRequest request, long now) {
            isKnown = true;
            toldNanos = now;
            told = request.getWriters();
            opened = request.getWritersOpened();
            openedAll = request.getWritersOpenedAll();
            unopened = Math.max(0, grants.total(now) - opened);
            since = 0;
            ended = 0;
        }

        boolean isFresh(long now) {
            return isKnown && now - toldNanos <= TimeUnit.MILLISECONDS.toNanos(STALE_MILLIS);
        }

        int load(long now, int mean, double grantWeight) {
            return isFresh(now)
                    ? Math.max(0, told + (int) Math.round(grantWeight * (unopened + since - ended)))
                    : mean + (int) Math.round(grantWeight * grants.total(now));
        }
    }
}
