package io.tatami.block.service.registration;

import io.tatami.base.BlockId;
import io.tatami.base.GroupId;
import io.tatami.base.ServerId;
import io.tatami.protocol.wire.CopiesMadeRequest;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copies that were made on this server, or could not be, of which their shards have not heard yet. A shard is told
 * at once, and again until it answers, whoever leads it then. What does not fit here, is given up, or is lost with the
 * process, it learns when it asks for the copy again, or from its next audit. Safe for use by many threads.
 */
public final class CopyReports {
    private static final Logger LOG = LoggerFactory.getLogger(CopyReports.class);

    /** In all, of all shards. */
    static final int REPORTS_MAX = 16_384;

    /** Fewer than a shard takes in one request, so that its log takes small entries. */
    static final int REQUEST_REPORTS_MAX = 256;

    static final long RETRY_MILLIS_MIN = 1_000;
    static final long RETRY_MILLIS_MAX = 60_000;

    /** About three hours. */
    static final int TRIES_MAX = 180;

    private final Map<GroupId, Line> lines = new HashMap<>();
    private int waiting;
    private long dropped;

    private record Copy(BlockId block, int number) {
        static Copy of(CopiesMadeRequest.Item report) {
            return new Copy(new BlockId(report.getBlockId()), report.getCopyNumber());
        }
    }

    /** What one shard is to be told. */
    private static final class Line {
        final Map<Copy, CopiesMadeRequest.Item> reports = new LinkedHashMap<>();
        List<CopiesMadeRequest.Item> asked = List.of();
        long dueMillis = Long.MIN_VALUE;
        int tries;
    }

    /** Tells the shard soon; does not wait. Of one copy the last report counts. */
    public synchronized void add(CopiesMadeRequest.Item report) {
        Copy copy = Copy.of(report);
        Line line = lines.computeIfAbsent(copy.block().home(), shard -> new Line());
        if (waiting == REPORTS_MAX && !line.reports.containsKey(copy)) {
            if (dropped++ == 0) {
                LOG.warn("more than {} reports of copies wait for their shards; those ask again", REPORTS_MAX);
            }
            return;
        }
        if (line.reports.put(copy, report) == null) {
            waiting++;
        }
    }

    /** The shards that can be told something now: nothing that they were told is unanswered. */
    synchronized List<GroupId> due(long nowMillis) {
        return lines.entrySet().stream()
                .filter(entry -> entry.getValue().asked.isEmpty()
                        && !entry.getValue().reports.isEmpty()
                        && nowMillis >= entry.getValue().dueMillis)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** What to tell a shard that is {@link #due}; must be followed by {@link #answered} or {@link #failed}. */
    synchronized CopiesMadeRequest request(GroupId shard, ServerId server) {
        Line line = line(shard);
        line.asked = line.reports.values().stream().limit(REQUEST_REPORTS_MAX).toList();
        return CopiesMadeRequest.newBuilder()
                .setServerId(server.value())
                .addAllItem(line.asked)
                .build();
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
        line.dueMillis = nowMillis + Math.min(RETRY_MILLIS_MAX, RETRY_MILLIS_MIN << Math.min(line.tries, 10));
        if (++line.tries < TRIES_MAX) {
            line.asked = List.of();
            return;
        }
        LOG.warn("{} did not hear of {} copies; it asks for them again", shard, line.reports.size());
        forget(line, List.copyOf(line.reports.values()));
        line.tries = 0;
    }

    /** Not what was reported otherwise since. */
    private void forget(Line line, List<CopiesMadeRequest.Item> reports) {
        for (CopiesMadeRequest.Item report : reports) {
            if (line.reports.remove(Copy.of(report), report)) {
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
