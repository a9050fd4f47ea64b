package io.tatami.block.service.copy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The pulls onto one volume: those that wait, urgent ones first, how many run, and those that wait for a flush. Urgent
 * ones have as many places again, in the queues and beside those that run, so that no others hold them up. Its user
 * guards it.
 */
final class PullLine {
    private final int runningMax;
    private final int queuedMax;
    private final FinishQueue filled;
    private final Deque<Pull> urgent = new ArrayDeque<>();
    private final Deque<Pull> others = new ArrayDeque<>();
    private int urgentRunning;
    private int othersRunning;

    /**
     * @param runningMax pulls that run at once; twice as many with urgent ones
     * @param queuedMax pulls of each kind that wait
     * @param batchMax copies that are finished together
     */
    PullLine(int runningMax, int queuedMax, int batchMax) {
        this.runningMax = runningMax;
        this.queuedMax = queuedMax;
        this.filled = new FinishQueue(batchMax);
    }

    boolean hasRoomFor(Pull pull) {
        return queueOf(pull).size() < queuedMax;
    }

    /** Only where {@link #hasRoomFor}. */
    void add(Pull pull) {
        queueOf(pull).add(pull);
    }

    /**
     * The pull to begin now, which counts as running until {@link #ended} or {@link #filled(FilledCopy)}; null where
     * none may begin.
     */
    @Nullable
    Pull next() {
        if (!urgent.isEmpty() && hasPlace() && !filled.isFull(true)) {
            urgentRunning++;
            return urgent.remove();
        }
        if (!others.isEmpty() && othersRunning < runningMax && hasPlace() && !filled.isFull(false)) {
            othersRunning++;
            return others.remove();
        }
        return null;
    }

    private boolean hasPlace() {
        return urgentRunning + othersRunning < 2 * runningMax;
    }

    /** One that ran waits for a flush now, and another one may run. */
    void filled(FilledCopy copy) {
        ended(copy.pull());
        filled.add(copy);
    }

    /** The copies that wait for a flush. */
    FinishQueue filled() {
        return filled;
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

    /** Those that wait for a flush included. */
    int running() {
        return urgentRunning + othersRunning + filled.copies();
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
