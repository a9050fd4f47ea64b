package io.tatami.meta.service.copies;

import io.tatami.base.Clock;
import io.tatami.protocol.wire.CopiesStatusReply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * How many copies were made of late, as their servers have reported them to this leader. Safe for use by many threads.
 */
final class HealRate {
    static final Duration WINDOW = Duration.ofMinutes(2);

    private static final Duration STEP = Duration.ofSeconds(5);

    private final Clock clock;
    private final long begunNanos;

    /** The oldest first; at most as many as the window has steps, and one. */
    private final Deque<Step> steps = new ArrayDeque<>();

    HealRate(Clock clock) {
        this.clock = clock;
        this.begunNanos = clock.monotonicNanos();
    }

    private record Step(long beginNanos, long copies, long bytes) {}

    synchronized void made(long bytes) {
        long now = clock.monotonicNanos();
        Step last = steps.peekLast();
        if (last != null && now - last.beginNanos < STEP.toNanos()) {
            steps.removeLast();
            steps.addLast(new Step(last.beginNanos, last.copies + 1, last.bytes + bytes));
        } else {
            steps.addLast(new Step(now, 1, bytes));
        }
        forget(now);
    }

    private void forget(long now) {
        Step first = steps.peekFirst();
        while (first != null && now - first.beginNanos >= WINDOW.toNanos()) {
            steps.removeFirst();
            first = steps.peekFirst();
        }
    }

    /** What was made within the window, or since this process leads the shard. */
    synchronized void addTo(CopiesStatusReply.Builder status) {
        long now = clock.monotonicNanos();
        forget(now);
        long within = Math.min(WINDOW.toNanos(), Math.max(STEP.toNanos(), now - begunNanos));
        status.setCopiesMade(steps.stream().mapToLong(Step::copies).sum())
                .setBytesMade(steps.stream().mapToLong(Step::bytes).sum())
                .setMadeWithinMillis(Duration.ofNanos(within).toMillis());
    }
}
