package io.tatami.rpc.netty.shared;

import io.netty.channel.Channel;
import io.tatami.base.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Back-pressure of one connection: counts the bytes of data that were offered and not yet taken by the event loop, adds
 * what Netty says of those it took, and wakes those who wait. Safe for use by many threads.
 */
public final class WriteGate {
    /** A sender that ignores the gate is a bug of ours once it is so many high-water marks beyond. */
    private static final int OVERRUN_FACTOR = 16;

    private final Channel channel;
    private final long highBytes;
    private final AtomicLong queuedBytes = new AtomicLong();

    /** Guarded by itself. */
    private final List<Runnable> waiters = new ArrayList<>();

    private volatile boolean closed;

    WriteGate(Channel channel, long highBytes) {
        this.channel = channel;
        this.highBytes = highBytes;
    }

    boolean isWritable() {
        return queuedBytes.get() < highBytes && channel.isWritable();
    }

    /** Counts bytes that are about to be offered; throws {@link IllegalStateException} far beyond the mark. */
    void queued(long bytes) {
        long before = queuedBytes.get();
        Check.check(before < highBytes * OVERRUN_FACTOR, "a sender ignores that its connection is not writable");
        queuedBytes.addAndGet(bytes);
    }

    void taken(long bytes) {
        queuedBytes.addAndGet(-bytes);
    }

    /** Runs {@code waiter} now or later, on an event loop: see {@link io.tatami.rpc.MessageSender#whenWritable}. */
    void whenWritable(Runnable waiter) {
        synchronized (waiters) {
            if (!isWritable() && !closed) {
                waiters.add(waiter);
                return;
            }
        }
        waiter.run();
    }

    /** Runs the waiters if it is writable. */
    public void wake() {
        if (isWritable()) {
            wakeAll();
        }
    }

    /** Runs the waiters in any case; they look again for what they wait for. */
    void wakeAll() {
        List<Runnable> woken;
        synchronized (waiters) {
            if (waiters.isEmpty()) {
                return;
            }
            woken = new ArrayList<>(waiters);
            waiters.clear();
        }
        woken.forEach(Runnable::run);
    }

    void close() {
        closed = true;
        wakeAll();
    }
}
