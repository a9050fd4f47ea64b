package io.tatami.meta.service.copies;

import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How fast the blocks of servers that drain go: by what was left when somebody asked, within the last
 * {@value #WINDOW_MINUTES} minutes. Of {@value #SERVERS_MAX} servers at most. Safe for use by many threads.
 */
final class DrainProgress {
    static final int WINDOW_MINUTES = 10;
    static final int SERVERS_MAX = 64;

    /** Between two numbers that are remembered. */
    private static final Duration SPACING = Duration.ofSeconds(5);

    private final Clock clock;
    private final Map<ServerId, Deque<Sample>> samples = new LinkedHashMap<>();

    private record Sample(long nanos, long blocks) {}

    DrainProgress(Clock clock) {
        this.clock = clock;
    }

    /**
     * Notes what is left, and estimates how long that takes, in milliseconds; 0 where it is not known.
     *
     * @param blocks that are left
     */
    synchronized long remainingMillis(ServerId server, long blocks) {
        long now = clock.monotonicNanos();
        Deque<Sample> of = of(server);
        if (!of.isEmpty() && blocks > of.getLast().blocks()) {
            of.clear();
        }
        while (!of.isEmpty() && now - of.getFirst().nanos() > TimeUnit.MINUTES.toNanos(WINDOW_MINUTES)) {
            of.removeFirst();
        }
        if (of.isEmpty() || now - of.getLast().nanos() >= SPACING.toNanos()) {
            of.addLast(new Sample(now, blocks));
        }
        Sample first = of.getFirst();
        long gone = first.blocks() - blocks;
        if (gone <= 0 || blocks == 0) {
            return 0;
        }
        double millisPerBlock = (now - first.nanos()) / 1e6 / gone;
        return Math.max(1, Math.round(millisPerBlock * blocks));
    }

    private Deque<Sample> of(ServerId server) {
        Deque<Sample> known = samples.remove(server);
        if (known == null && samples.size() >= SERVERS_MAX) {
            samples.remove(samples.keySet().iterator().next());
        }
        Deque<Sample> of = known == null ? new ArrayDeque<>() : known;
        samples.put(server, of);
        return of;
    }
}
