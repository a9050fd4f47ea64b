package io.tatami.meta.service.copies;

import io.tatami.base.BlockId;
import io.tatami.base.Clock;
import io.tatami.base.FileId;
import io.tatami.base.ServerId;
import io.tatami.protocol.wire.StuckBlock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What blocks wait for, as far as the leader remembers, and which servers could not make a copy of one a moment ago. Of
 * {@value #BLOCKS_MAX} blocks at most: one that is forgotten is judged again like a new one. Safe for use by many
 * threads.
 */
final class BlockWaits {
    static final int BLOCKS_MAX = 16_384;
    static final Duration PAUSE_MIN = Duration.ofSeconds(1);
    static final Duration PAUSE_MAX = Duration.ofMinutes(1);

    /** For how long a server is left out that could not make a copy of a block. */
    static final Duration REFUSAL = Duration.ofMinutes(1);

    /** For how long a server is left out that has too much to do. */
    static final Duration BUSY = Duration.ofSeconds(5);

    private final Clock clock;

    /** The one that was noted first goes first. */
    private final Map<BlockId, Waiting> blocks = new LinkedHashMap<>();

    private final Map<ServerId, Long> busyUntilNanos = new HashMap<>();

    BlockWaits(Clock clock) {
        this.clock = clock;
    }

    /** Of one block. */
    private static final class Waiting {
        private String reason = "";
        private FileId file = FileId.NONE;
        private Duration pause = Duration.ZERO;
        private long dueNanos;
        private final Map<ServerId, Long> refusedUntilNanos = new HashMap<>();
    }

    /** Why a block cannot go on. */
    synchronized void note(BlockId block, FileId file, String reason) {
        Waiting waiting = of(block);
        waiting.file = file;
        waiting.reason = reason;
    }

    /** Something was tried for a block, and failed: the next try is after a pause, which doubles. */
    synchronized void failed(BlockId block) {
        Waiting waiting = of(block);
        Duration longer = waiting.pause.isZero() ? PAUSE_MIN : waiting.pause.multipliedBy(2);
        waiting.pause = longer.compareTo(PAUSE_MAX) < 0 ? longer : PAUSE_MAX;
        waiting.dueNanos = clock.monotonicNanos() + waiting.pause.toNanos();
    }

    /** A server could not make a copy of a block. */
    synchronized void refused(BlockId block, ServerId server) {
        failed(block);
        of(block).refusedUntilNanos.put(server, clock.monotonicNanos() + REFUSAL.toNanos());
    }

    synchronized void busy(ServerId server) {
        busyUntilNanos.put(server, clock.monotonicNanos() + BUSY.toNanos());
    }

    synchronized boolean isDue(BlockId block) {
        Waiting waiting = blocks.get(block);
        return waiting == null || waiting.pause.isZero() || clock.monotonicNanos() - waiting.dueNanos >= 0;
    }

    synchronized boolean isRefused(BlockId block, ServerId server) {
        Waiting waiting = blocks.get(block);
        return isAhead(busyUntilNanos.get(server))
                || (waiting != null && isAhead(waiting.refusedUntilNanos.get(server)));
    }

    private boolean isAhead(@Nullable Long untilNanos) {
        return untilNanos != null && clock.monotonicNanos() - untilNanos < 0;
    }

    /** The block has what it needs, or is gone. */
    synchronized void forget(BlockId block) {
        blocks.remove(block);
    }

    /** What a block waits for, as it was noted last; empty where nothing was. */
    synchronized String reason(BlockId block) {
        Waiting waiting = blocks.get(block);
        return waiting == null ? "" : waiting.reason;
    }

    /** Some that cannot go on. */
    synchronized List<StuckBlock> stuck(int limit) {
        List<StuckBlock> stuck = new ArrayList<>();
        for (Map.Entry<BlockId, Waiting> entry : blocks.entrySet()) {
            if (stuck.size() < limit && !entry.getValue().reason.isEmpty()) {
                stuck.add(StuckBlock.newBuilder()
                        .setBlockId(entry.getKey().value())
                        .setFileId(entry.getValue().file.value())
                        .setReason(entry.getValue().reason)
                        .build());
            }
        }
        return stuck;
    }

    private Waiting of(BlockId block) {
        Waiting known = blocks.get(block);
        if (known != null) {
            return known;
        }
        if (blocks.size() >= BLOCKS_MAX) {
            blocks.remove(blocks.keySet().iterator().next());
        }
        Waiting waiting = new Waiting();
        blocks.put(block, waiting);
        return waiting;
    }
}
