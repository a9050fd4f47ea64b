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

    /**
     * For how long a server is left out that could not make a copy of a block, the first time; twice as long each time
     * after that, up to {@link #PAUSE_MAX}. Mostly it has an older copy that is deleted in a moment.
     */
    static final Duration REFUSAL_MIN = Duration.ofSeconds(2);

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
        private final Map<ServerId, Refusal> refusals = new HashMap<>();
    }

    private record Refusal(Duration pause, long untilNanos) {}

    /** Why a block cannot go on. */
    synchronized void note(BlockId block, FileId file, String reason) {
        Waiting waiting = of(block);
        waiting.file = file;
        waiting.reason = reason;
    }

    /** Something was tried for a block, and failed: the next try is after a pause, which doubles. */
    synchronized void failed(BlockId block) {
        Waiting waiting = of(block);
        waiting.pause = waiting.pause.isZero() ? PAUSE_MIN : doubled(waiting.pause);
        waiting.dueNanos = clock.monotonicNanos() + waiting.pause.toNanos();
    }

    private static Duration doubled(Duration pause) {
        Duration longer = pause.multipliedBy(2);
        return longer.compareTo(PAUSE_MAX) < 0 ? longer : PAUSE_MAX;
    }

    /** A server could not make a copy of a block. */
    synchronized void refused(BlockId block, ServerId server) {
        failed(block);
        Map<ServerId, Refusal> refusals = of(block).refusals;
        Refusal last = refusals.get(server);
        Duration pause = last == null ? REFUSAL_MIN : doubled(last.pause());
        refusals.put(server, new Refusal(pause, clock.monotonicNanos() + pause.toNanos()));
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
        Refusal refusal = waiting == null ? null : waiting.refusals.get(server);
        return isAhead(busyUntilNanos.get(server)) || (refusal != null && isAhead(refusal.untilNanos()));
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
