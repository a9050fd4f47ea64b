package io.tatami.block.service;

import java.util.concurrent.atomic.AtomicLong;

/** Counts the bytes of all writers that wait in memory for the disk. Safe for use by many threads. */
final class ReceiveBudget {
    private final long bytesMax;
    private final AtomicLong bytes = new AtomicLong();

    ReceiveBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Returns whether there is now more than allowed, so that the one who added must stop receiving. */
    boolean addIsTooMuch(long added) {
        return bytes.addAndGet(added) > bytesMax;
    }

    void remove(long removed) {
        bytes.addAndGet(-removed);
    }

    long bytes() {
        return bytes.get();
    }
}
