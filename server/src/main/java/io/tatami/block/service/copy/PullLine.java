package io.tatami.block.service.copy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pulls onto one volume: those that wait, urgent ones first, and how many run. Urgent ones have as many places
 * again, in the queue and beside those that run, so that no others hold them up. Its user guards it.
 */
final class PullLine {
    private final int runningMax;
    private final int queuedMax;
    private final Deque<Pull> urgent = new ArrayDeque<>();
    private final Deque<Pull> others = new ArrayDeque<>();
    private int urgentRunning;
    private int othersRunning;

    /**
     * @param runningMax pulls that run at once; twice as many with urgent ones
     * @param queuedMax pulls of each kind that wait
     */
    PullLine(int runningMax, int queuedMax) {
        this.runningMax = runningMax;
        this.queuedMax = queuedMax;
    }

    boolean hasRoomFor(Pull pull) {
        return queueOf(pull).size() < queuedMax;
    }

    /** Only where {@link #hasRoomFor}. */
    void add(Pull pull) {
        queueOf(pull).add(pull);
    }

    /** The pull to begin now, which counts as running until {@link #ended}; null where none may begin. */
    @Nullable
    Pull next() {
        if (!urgent.isEmpty() && urgentRunning + othersRunning < 2 * runningMax) {
            urgentRunning++;
            return urgent.remove();
        }
        if (!others.isEmpty() && othersRunning < runningMax && urgentRunning + othersRunning < 2 * runningMax) {
            othersRunning++;
            return others.remove();
        }
        return null;
    }

    void ended(Pull pull) {
        if (pull.urgent()) {
            urgentRunning--;
        } else {
            othersRunning--;
        }
    }

    /** Takes a pull out that waits; false where it does not. */
    boolean remove(Pull pull) {
        return queueOf(pull).remove(pull);
    }

    /** Takes out all that wait. */
    List<Pull> removeAll() {
        List<Pull> removed = new ArrayList<>(urgent);
        removed.addAll(others);
        urgent.clear();
        others.clear();
        return removed;
    }

    int running() {
        return urgentRunning + othersRunning;
    }

    int queued() {
        return urgent.size() + others.size();
    }

    /** For which no room was taken yet. */
    long queuedBytes() {
        return urgent.stream().mapToLong(Pull::lengthBytes).sum()
                + others.stream().mapToLong(Pull::lengthBytes).sum();
    }

    private Deque<Pull> queueOf(Pull pull) {
        return pull.urgent() ? urgent : others;
    }
}
