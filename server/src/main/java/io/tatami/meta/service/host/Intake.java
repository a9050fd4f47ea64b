package io.tatami.meta.service.host;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;

/** The requests that wait for a group's thread. Offered to by many threads, taken from by one. */
final class Intake {
    private final int waitingMax;
    private final Queue<Pending<?, ?, ?>> waiting = new ArrayDeque<>();
    private boolean taking;
    private boolean ended;

    Intake(int waitingMax) {
        this.waitingMax = waitingMax;
    }

    /** False where too many wait already. */
    synchronized boolean offer(Pending<?, ?, ?> pending) {
        if (waiting.size() >= waitingMax) {
            return false;
        }
        waiting.add(pending);
        if (taking) {
            notifyAll();
        }
        return true;
    }

    /**
     * Waits until there is a request, and moves those that wait into {@code taken}, until that has {@code max}.
     *
     * @return false where {@link #end} was called; then none is moved
     */
    synchronized boolean take(List<Pending<?, ?, ?>> taken, int max) {
        while (waiting.isEmpty() && !ended) {
            taking = true;
            try {
                wait();
            } catch (InterruptedException e) {
                throw new IllegalStateException("nobody interrupts a group's thread", e);
            } finally {
                taking = false;
            }
        }
        if (!ended) {
            poll(taken, max);
        }
        return !ended;
    }

    /** Moves requests that wait already into {@code taken}, until that has {@code max}. */
    synchronized void poll(List<Pending<?, ?, ?>> taken, int max) {
        while (taken.size() < max && !waiting.isEmpty()) {
            taken.add(waiting.remove());
        }
    }

    /** Lets nobody wait any more. */
    synchronized void end() {
        ended = true;
        notifyAll();
    }
}
