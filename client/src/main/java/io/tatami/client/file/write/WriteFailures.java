package io.tatami.client.file.write;

import io.tatami.base.Clock;
import io.tatami.base.ServerId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The failures of a writer's chains, over all its blocks: when to give up, and which servers to do without. A failure
 * is forgotten after ten minutes, or for as many acknowledged bytes as a block of 32 MiB has. So a link that fails
 * again and again ends the writer, and does not cut its file into thousands of short blocks. Used by the writer's
 * thread.
 */
final class WriteFailures {
    /** The number of failures that are remembered when the writer gives up at the next one. */
    static final int FAILURES_MAX = 12;

    private static final long FORGIVING_BYTES_MAX = 32L << 20;
    private static final long FORGIVING_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final int SERVERS_MAX = 64;

    private final Clock clock;
    private final long forgivingBytes;
    private int count;
    private long newestNanos;

    /** Acknowledged since the last failure was forgotten for such. */
    private long acknowledgedBytes;

    /** When a server failed last; the longest ago first. */
    private final Map<ServerId, Long> failedNanos = new LinkedHashMap<>();

    /** The remembered failures of chains, by their first server. */
    private final Map<ServerId, Integer> byFront = new HashMap<>();

    WriteFailures(Clock clock, long blockSizeBytes) {
        this.clock = clock;
        this.forgivingBytes = Math.min(FORGIVING_BYTES_MAX, blockSizeBytes);
    }

    /** The servers of some chain have so many more bytes. */
    void acknowledged(long bytes) {
        acknowledgedBytes += bytes;
    }

    /**
     * A chain has failed.
     *
     * @param front its first server: at its second failure it is the one to do without, too, whichever it reports
     * @param failed the server that is held to have failed
     * @return false where the writer is to give up
     */
    boolean add(ServerId front, ServerId failed) {
        long nowNanos = clock.monotonicNanos();
        forgive(nowNanos);
        newestNanos = nowNanos;
        avoid(failed, nowNanos);
        if (byFront.merge(front, 1, Integer::sum) > 1) {
            avoid(front, nowNanos);
        }
        return ++count <= FAILURES_MAX;
    }

    private void forgive(long nowNanos) {
        long forgiven = acknowledgedBytes / forgivingBytes + (nowNanos - newestNanos) / FORGIVING_NANOS;
        acknowledgedBytes %= forgivingBytes;
        count = (int) Math.max(0, count - forgiven);
        if (count == 0) {
            byFront.clear();
        }
    }

    private void avoid(ServerId server, long nowNanos) {
        failedNanos.remove(server);
        failedNanos.put(server, nowNanos);
        Iterator<ServerId> oldest = failedNanos.keySet().iterator();
        if (failedNanos.size() > SERVERS_MAX) {
            oldest.next();
            oldest.remove();
        }
    }

    /** The failures since {@link #count} was this are no reason to give up: no program waited for what they foiled. */
    void excuse(int before) {
        count = Math.min(count, before);
    }

    /** How many are remembered. */
    int count() {
        return count;
    }

    /** Servers that failed in the last ten minutes, which new blocks do without where others can take them. */
    Set<ServerId> avoided() {
        long nowNanos = clock.monotonicNanos();
        failedNanos.values().removeIf(failed -> nowNanos - failed >= FORGIVING_NANOS);
        return new HashSet<>(failedNanos.keySet());
    }

    /** There are no other servers. */
    void avoidNone() {
        failedNanos.clear();
    }
}
