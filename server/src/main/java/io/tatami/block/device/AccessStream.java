package io.tatami.block.device;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Accesses that lie one behind the other, those of one sequential reader or writer: the device is given many of them at
 * a stretch. Made by {@link IoThreads#stream}; costs nothing while nothing is queued. Safe for use by many threads.
 */
public final class AccessStream {
    private final IoThreads threads;
    private final AccessKind kind;

    /** Guarded by the lock of {@link #threads}. */
    private final Deque<PendingAccess> queued = new ArrayDeque<>();

    AccessStream(IoThreads threads, AccessKind kind) {
        this.threads = threads;
        this.kind = kind;
    }

    /**
     * Queues an access of {@code bytes} bytes. Accesses begin in this order, and run side by side.
     *
     * @param bytes what it costs the device, roughly
     */
    public PendingAccess submit(int bytes, IoThreads.Access access) {
        PendingAccess pending = new PendingAccess(access, kind, bytes);
        threads.submit(this, pending);
        return pending;
    }

    /** {@link #submit} for who waits for the access next; it may have ended when this returns. */
    public void run(int bytes, IoThreads.Access access) {
        threads.run(this, new PendingAccess(access, kind, bytes));
    }

    /** Gives up what did not begin yet: whoever waits for that is told CANCELLED. */
    public void drop() {
        threads.drop(this).forEach(PendingAccess::giveUp);
    }

    AccessKind kind() {
        return kind;
    }

    Deque<PendingAccess> queued() {
        return queued;
    }
}
