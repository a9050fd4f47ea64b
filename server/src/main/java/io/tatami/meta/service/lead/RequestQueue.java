package io.tatami.meta.service.lead;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The requests that wait for a group's thread, and whether that knows of them. Offered to by many threads, taken from
 * by one.
 */
final class RequestQueue {
    private final int waitingMax;
    private final Deque<Pending<?, ?, ?>> waiting = new ArrayDeque<>();
    private boolean awaited;

    RequestQueue(int waitingMax) {
        this.waitingMax = waitingMax;
    }

    /** What became of a request. */
    enum Offer {
        /** It waits, and the thread will come for it. */
        TAKEN,
        /** It waits, and the thread has to be told. */
        FIRST,
        /** Too many wait already. */
        REFUSED
    }

    /** How many wait. */
    synchronized int size() {
        return waiting.size();
    }

    synchronized Offer offer(Pending<?, ?, ?> pending) {
        if (waiting.size() >= waitingMax) {
            return Offer.REFUSED;
        }
        waiting.add(pending);
        boolean first = !awaited;
        awaited = true;
        return first ? Offer.FIRST : Offer.TAKEN;
    }

    /** Moves requests that wait into {@code taken}, until that has {@code max}. */
    synchronized void poll(List<Pending<?, ?, ?>> taken, int max) {
        while (taken.size() < max && !waiting.isEmpty()) {
            taken.add(waiting.remove());
        }
    }

    /** These were taken and not done: they are the next. */
    synchronized void putBack(List<Pending<?, ?, ?>> rest) {
        for (int i = rest.size() - 1; i >= 0; i--) {
            waiting.addFirst(rest.get(i));
        }
    }

    /**
     * The thread has done what it took. Whether more wait: then it comes again; if none do, it has to be told of the
     * next.
     */
    synchronized boolean isMore() {
        awaited = !waiting.isEmpty();
        return awaited;
    }
}
