package io.tatami.meta.service.host;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/**
 * What a group's thread waits for: requests, and that the batch before is durable. Offered to by many threads, taken
 * from by one.
 */
final class Intake {
    private final int waitingMax;
    private final Queue<Pending<?, ?, ?>> waiting = new ArrayDeque<>();
    private boolean committing;
    private boolean taking;

    Intake(int waitingMax) {
        this.waitingMax = waitingMax;
    }

    /** False where too many wait already. */
    synchronized boolean offer(Pending<?, ?, ?> pending) {
        if (waiting.size() >= waitingMax) {
            return false;
        }
        waiting.add(pending);
        wake();
        return true;
    }

    /**
     * Moves up to {@code max} requests into {@code arrived}; waits until there is one, or until nothing is being
     * committed where something {@code decided} waits for that.
     *
     * @return whether nothing is being committed
     */
    synchronized boolean take(List<Pending<?, ?, ?>> arrived, int max, boolean decided) throws InterruptedException {
        while ((waiting.isEmpty() || max == 0) && !(decided && !committing)) {
            taking = true;
            try {
                wait();
            } finally {
                taking = false;
            }
        }
        for (int i = 0; i < max && !waiting.isEmpty(); i++) {
            arrived.add(waiting.remove());
        }
        return !committing;
    }

    /** A batch is on its way to the log. */
    synchronized void commitBegins() {
        committing = true;
    }

    /** It is durable; the next one may go. */
    synchronized void commitEnds() {
        committing = false;
        wake();
    }

    /** Takes all that waits. */
    synchronized List<Pending<?, ?, ?>> drain() {
        List<Pending<?, ?, ?>> all = List.copyOf(waiting);
        waiting.clear();
        return all;
    }

    private void wake() {
        if (taking) {
            notifyAll();
        }
    }
}
