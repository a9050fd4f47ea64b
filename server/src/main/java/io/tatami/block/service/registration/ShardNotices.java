package io.tatami.block.service.registration;

import io.tatami.base.GroupId;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What shards are to be told and have not answered yet. A shard is told at once, and again until it answers, whoever
 * leads it then; after {@value #TRIES_MAX} tries what waits for it is given up. In memory only, and bounded. Safe for
 * use by many threads.
 *
 * @param <K> what a notice is about: of one thing the last notice counts
 */
final class ShardNotices<K, V> {
    static final long RETRY_MILLIS_MIN = 1_000;
    static final long RETRY_MILLIS_MAX = 60_000;

    /** About three hours. */
    static final int TRIES_MAX = 180;

    private final int limit;
    private final int requestLimit;
    private final Map<GroupId, Line> lines = new HashMap<>();
    private int waiting;

    /**
     * @param limit of notices that wait, for all shards together
     * @param requestLimit of notices of one request
     */
    ShardNotices(int limit, int requestLimit) {
        this.limit = limit;
        this.requestLimit = requestLimit;
    }

    /** What one shard is to be told. */
    private final class Line {
        final Map<K, V> notices = new LinkedHashMap<>();
        Map<K, V> asked = Map.of();
        long dueMillis = Long.MIN_VALUE;
        int tries;

        /** Not what has another notice since. */
        void forget(Map<K, V> told) {
            told.forEach((key, notice) -> {
                if (notices.remove(key, notice)) {
                    waiting--;
                }
            });
            asked = Map.of();
            tries = 0;
        }
    }

    /** Tells the shard soon; does not wait. False, and the notice is dropped, where no more can wait. */
    synchronized boolean put(GroupId shard, K key, V notice) {
        Line line = lines.computeIfAbsent(shard, absent -> new Line());
        if (waiting == limit && !line.notices.containsKey(key)) {
            return false;
        }
        if (line.notices.put(key, notice) == null) {
            waiting++;
        }
        return true;
    }

    /** The shards that can be told something now: nothing that they were told is unanswered. */
    synchronized List<GroupId> due(long nowMillis) {
        return lines.entrySet().stream()
                .filter(entry -> entry.getValue().asked.isEmpty()
                        && !entry.getValue().notices.isEmpty()
                        && nowMillis >= entry.getValue().dueMillis)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** What to tell a shard that is {@link #due}; must be followed by {@link #answered} or {@link #failed}. */
    synchronized List<V> ask(GroupId shard) {
        Line line = line(shard);
        Map<K, V> asked = new LinkedHashMap<>();
        line.notices.entrySet().stream()
                .limit(requestLimit)
                .forEach(entry -> asked.put(entry.getKey(), entry.getValue()));
        line.asked = asked;
        return List.copyOf(asked.values());
    }

    synchronized void answered(GroupId shard) {
        Line line = line(shard);
        line.forget(line.asked);
        line.dueMillis = Long.MIN_VALUE;
    }

    /**
     * The same is told again later, or all is given up after many times.
     *
     * @return how many notices were given up
     */
    synchronized int failed(GroupId shard, long nowMillis) {
        Line line = line(shard);
        line.dueMillis = nowMillis + Math.min(RETRY_MILLIS_MAX, RETRY_MILLIS_MIN << Math.min(line.tries, 10));
        if (++line.tries < TRIES_MAX) {
            line.asked = Map.of();
            return 0;
        }
        int givenUp = line.notices.size();
        line.forget(Map.copyOf(line.notices));
        return givenUp;
    }

    private Line line(GroupId shard) {
        Line line = lines.get(shard);
        if (line == null) {
            throw new IllegalStateException(shard + " has nothing to be told");
        }
        return line;
    }
}
