package io.tatami.linear;

import io.tatami.rpc.sim.SimFaults;
import java.net.SocketAddress;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What becomes of the messages between clients and servers: each is late, lost or doubled by chance, and whole ways may
 * be cut, one direction at a time. Safe for use by many threads.
 */
final class Ways {
    private static final long AGAIN_NANOS_MAX = 200_000_000;

    private final SimFaults faults;
    private final Set<Way> cut = ConcurrentHashMap.newKeySet();
    private final Map<String, AtomicLong> counts = new ConcurrentHashMap<>();

    /**
     * One direction.
     *
     * @param up from the client to the server
     */
    record Way(int client, SocketAddress server, boolean up) {}

    /**
     * Of one request.
     *
     * @param delayNanos until it is sent
     * @param lostUp it never arrives
     * @param lostDown it arrives, and its reply does not
     * @param againNanos until it arrives a second time; negative for never
     * @param breaks its connection is closed behind it
     */
    record Fate(long delayNanos, boolean lostUp, boolean lostDown, long againNanos, boolean breaks) {
        boolean isLostOrDoubled() {
            return lostUp || lostDown || againNanos >= 0;
        }
    }

    Ways(SimFaults faults) {
        this.faults = faults;
    }

    void cut(Way way) {
        cut.add(way);
    }

    void mend(Way way) {
        cut.remove(way);
    }

    Fate fate(Random random, int client, SocketAddress server) {
        long delayNanos = random.nextLong(1 + faults.delayNanosMax());
        boolean lostUp = cut.contains(new Way(client, server, true)) || happens(random, faults.dropChance());
        boolean lostDown = cut.contains(new Way(client, server, false)) || happens(random, faults.dropChance());
        long againNanos = happens(random, faults.duplicateChance()) ? random.nextLong(AGAIN_NANOS_MAX) : -1;
        boolean breaks = happens(random, faults.cutChance());
        count("requests lost", lostUp);
        count("replies lost", lostDown && !lostUp);
        count("requests doubled", againNanos >= 0 && !lostUp);
        count("connections closed", breaks);
        return new Fate(delayNanos, lostUp, lostDown, againNanos, breaks);
    }

    private static boolean happens(Random random, double chance) {
        return random.nextDouble() < chance;
    }

    private void count(String what, boolean happened) {
        if (happened) {
            counts.computeIfAbsent(what, key -> new AtomicLong()).incrementAndGet();
        }
    }

    void addTo(Map<String, Long> totals) {
        counts.forEach((what, count) -> totals.merge(what, count.get(), Long::sum));
    }
}
