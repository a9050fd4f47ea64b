package io.tatami.meta.service.move;

import io.tatami.base.Check;
import io.tatami.base.DirectoryId;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How fast names of directories change in a shard, by the counts that its shares keep and the times at which they were
 * looked at. Forgets the directories that were looked at longest ago. Not safe for use by many threads.
 */
final class DirectoryHeat {
    /** Shorter times say little. */
    private static final long WINDOW_NANOS = 1_000_000_000L;

    private static final long NANOS_PER_SECOND = 1_000_000_000L;

    private final int directoriesMax;
    private final Map<DirectoryId, Seen> seen = new LinkedHashMap<>(16, 0.75f, true);

    /** @param perSecond as of the last whole window; -1 before the first */
    private record Seen(long changes, long nanos, long perSecond) {}

    /** @param directoriesMax that are remembered, at least 1 */
    DirectoryHeat(int directoriesMax) {
        Check.check(directoriesMax > 0, "heat of %d directories", directoriesMax);
        this.directoriesMax = directoriesMax;
    }

    /**
     * Notes how often names of a directory have changed.
     *
     * @return changes a second since it was looked at a second ago or longer; -1 where that is not known yet
     */
    long look(DirectoryId directory, long changes, long nowNanos) {
        Seen before = seen.get(directory);
        if (before == null || changes < before.changes()) {
            remember(directory, new Seen(changes, nowNanos, -1));
            return -1;
        }
        long passed = nowNanos - before.nanos();
        if (passed < WINDOW_NANOS) {
            return before.perSecond();
        }
        double perNano = (double) (changes - before.changes()) / passed;
        long perSecond = Math.round(perNano * NANOS_PER_SECOND);
        remember(directory, new Seen(changes, nowNanos, perSecond));
        return perSecond;
    }

    private void remember(DirectoryId directory, Seen now) {
        seen.put(directory, now);
        if (seen.size() > directoriesMax) {
            seen.remove(seen.keySet().iterator().next());
        }
    }
}
