package io.tatami.block.service.registration;

import io.tatami.base.BlockId;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.protocol.wire.DamagedCopiesRequest;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The damaged blocks of this server that their shards have not heard of yet. A shard is told at once, and again until
 * it answers; what does not fit here, or is given up, it learns from its next audit. Safe for use by many threads.
 */
public final class DamageNotices {
    private static final Logger LOG = LoggerFactory.getLogger(DamageNotices.class);

    /** In all, of all shards: a disk that breaks damages more, and its volume is to be looked at then. */
    static final int BLOCKS_MAX = 4_096;

    /** As many as a shard takes in one request. */
    static final int REQUEST_BLOCKS_MAX = 256;

    static final long RETRY_MILLIS_MIN = 1_000;
    static final long RETRY_MILLIS_MAX = 60_000;

    /** About three hours, after which an audit has told. */
    static final int TRIES_MAX = 180;

    private final Map<GroupId, Line> lines = new HashMap<>();
    private int waiting;
    private long dropped;

    /** What one shard is to be told. */
    private static final class Line {
        final Set<BlockId> blocks = new LinkedHashSet<>();
        List<BlockId> asked = List.of();
        long dueMillis = Long.MIN_VALUE;
        int tries;
    }

    /** The block is damaged here; does not wait. */
    public synchronized void found(BlockId block) {
        if (waiting == BLOCKS_MAX) {
            if (dropped++ == 0) {
                LOG.warn(
                        "more than {} damaged blocks wait to be told to their shards; audits tell the rest",
                        BLOCKS_MAX);
            }
            return;
        }
        if (lines.computeIfAbsent(block.home(), shard -> new Line()).blocks.add(block)) {
            waiting++;
        }
    }

    /** The shards that can be told something now: nothing that they were told is unanswered. */
    synchronized List<GroupId> due(long nowMillis) {
        return lines.entrySet().stream()
                .filter(entry -> entry.getValue().asked.isEmpty()
                        && !entry.getValue().blocks.isEmpty()
                        && nowMillis >= entry.getValue().dueMillis)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** What to tell a shard that is {@link #due}; must be followed by {@link #answered} or {@link #failed}. */
    synchronized DamagedCopiesRequest request(GroupId shard, ServerId server) {
        Line line = line(shard);
        line.asked = line.blocks.stream().limit(REQUEST_BLOCKS_MAX).toList();
        DamagedCopiesRequest.Builder request = DamagedCopiesRequest.newBuilder().setServerId(server.value());
        line.asked.forEach(block -> request.addBlockId(block.value()));
        return request.build();
    }

    synchronized void answered(GroupId shard) {
        Line line = line(shard);
        forget(line, line.asked);
        line.tries = 0;
        line.dueMillis = Long.MIN_VALUE;
    }

    /** The same is told again later, or given up after many times. */
    synchronized void failed(GroupId shard, long nowMillis) {
        Line line = line(shard);
        long pause = Math.min(RETRY_MILLIS_MAX, RETRY_MILLIS_MIN << Math.min(line.tries, 10));
        line.dueMillis = nowMillis + pause;
        if (++line.tries < TRIES_MAX) {
            line.asked = List.of();
            return;
        }
        LOG.warn("{} did not hear of damage of {} blocks; its next audit finds it", shard, line.blocks.size());
        forget(line, List.copyOf(line.blocks));
        line.tries = 0;
    }

    private void forget(Line line, List<BlockId> blocks) {
        for (BlockId block : blocks) {
            if (line.blocks.remove(block)) {
                waiting--;
            }
        }
        line.asked = List.of();
    }

    private Line line(GroupId shard) {
        Line line = lines.get(shard);
        if (line == null) {
            throw new IllegalStateException(shard + " has nothing to be told");
        }
        return line;
    }
}
