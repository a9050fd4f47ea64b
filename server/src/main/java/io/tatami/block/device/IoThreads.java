package io.tatami.block.device;

import io.tatami.base.TatamiException;
import io.tatami.base.Threads;
import io.tatami.base.WaitLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The threads that touch a device, in the order that {@link TurnOrder} says, so that no caller's interrupt ever closes
 * its channel. They are never interrupted themselves. The queue has no limit of its own: each read or write in it holds
 * a buffer of a pool that has one.
 *
 * <p>A caller that is never interrupted either, a {@linkplain #callers caller}, and would wait for its access, does it
 * itself while one of the threads has nothing to do: that spares waking that thread, and being woken by it.
 */
public final class IoThreads implements AutoCloseable {
    private final TurnOrder order = new TurnOrder();
    private final List<Thread> threads = new ArrayList<>();
    private final Object lock = new Object();
    private int running;
    private boolean closed;

    private IoThreads(String name, int count) {
        for (int number = 1; number <= count; number++) {
            Thread thread = Threads.daemon(this::work, name + "-io-" + number);
            threads.add(thread);
        }
    }

    /** A device access that may fail. */
    @FunctionalInterface
    public interface Access {
        void run() throws TatamiException;
    }

    /**
     * @param name begins the names of the threads
     * @param threads how many accesses the device is given at once
     */
    public static IoThreads start(String name, int threads) {
        IoThreads started = new IoThreads(name, threads);
        started.threads.forEach(Thread::start);
        return started;
    }

    /** Of daemon threads that nobody interrupts while they work. */
    public static ThreadFactory callers(String name) {
        return Threads.daemons(name, Caller::new);
    }

    private static final class Caller extends Thread {
        Caller(Runnable task, String name) {
            super(task, name);
        }
    }

    /** No threads: each access runs where it is submitted. For tests that repeat an order of accesses from a seed. */
    public static IoThreads onCaller() {
        return new IoThreads("caller", 0);
    }

    /** A stream of accesses, none yet. */
    public AccessStream stream(AccessKind kind) {
        return new AccessStream(this, kind);
    }

    /** A flush ahead of all that is queued already, for who waits for it next. */
    PendingAccess flush(Access flush) {
        PendingAccess pending = new PendingAccess(flush, null, 0);
        if (!ran(pending, true)) {
            enqueue(pending, () -> order.addFlush(pending));
        }
        return pending;
    }

    /** Whether an access runs or waits now. */
    public boolean isBusy() {
        synchronized (lock) {
            return running > 0 || order.isBusy();
        }
    }

    void submit(AccessStream stream, PendingAccess pending) {
        enqueue(pending, () -> order.add(stream, pending));
    }

    /** {@link #submit} for who waits for the access next. */
    void run(AccessStream stream, PendingAccess pending) {
        if (!ran(pending, false)) {
            submit(stream, pending);
        }
    }

    /** Whether the access has run on the caller's thread, in the place of one that has nothing to do. */
    private boolean ran(PendingAccess pending, boolean isFirst) {
        if (!(Thread.currentThread() instanceof Caller)) {
            return false;
        }
        synchronized (lock) {
            if (closed || running >= threads.size() || (!isFirst && order.isBusy())) {
                return false;
            }
            running++;
            order.begun(pending);
        }
        try {
            pending.run();
        } finally {
            leave(pending);
        }
        return true;
    }

    /** Ends an access on a caller's thread: a device thread goes on with what is queued, and whoever closes looks. */
    private void leave(PendingAccess pending) {
        synchronized (lock) {
            running--;
            order.ended(pending);
            if (closed) {
                lock.notifyAll();
            } else if (order.isBusy()) {
                lock.notify();
            }
        }
    }

    List<PendingAccess> drop(AccessStream stream) {
        synchronized (lock) {
            return order.remove(stream);
        }
    }

    private void enqueue(PendingAccess pending, Runnable addition) {
        synchronized (lock) {
            if (!threads.isEmpty() && !closed) {
                addition.run();
                if (running < threads.size()) {
                    lock.notify();
                }
                return;
            }
        }
        // Once closed there is a device that says so, and no channel that could be closed under somebody.
        pending.run();
    }

    private void work() {
        for (PendingAccess access = take(); access != null; access = take()) {
            access.run();
            synchronized (lock) {
                running--;
                order.ended(access);
                if (closed) {
                    lock.notifyAll();
                }
            }
        }
    }

    /** Waits for an access; null where none is queued and none will be. */
    private @Nullable PendingAccess take() {
        synchronized (lock) {
            while (true) {
                PendingAccess access = running < threads.size() ? order.next() : null;
                if (access != null) {
                    running++;
                    if (access.kind() == AccessKind.BACKGROUND && order.isBusy()) {
                        // What was held back with it may begin now, too.
                        lock.notify();
                    }
                    return access;
                }
                if (closed && !order.isBusy()) {
                    return null;
                }
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException("a device thread was interrupted", e);
                }
            }
        }
    }

    /** Lets what is queued finish, however long it takes, then ends the threads; an interrupt is kept for later. */
    @Override
    public void close() {
        boolean unused = close(() -> false);
    }

    /**
     * As {@link #close()}, but where the device hangs, threads that it holds up are left behind, with what is queued;
     * they end when it goes on.
     *
     * @param hangs whether the device hangs now
     * @return whether all threads have ended, so that no access will touch the device or a buffer any more
     */
    public boolean close(BooleanSupplier hangs) {
        synchronized (lock) {
            closed = true;
            lock.notifyAll();
        }
        return HangPatience.await(this::awaitEnd, hangs);
    }

    private boolean awaitEnd(long limitMillis) throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(limitMillis);
            if (thread.isAlive()) {
                return false;
            }
        }
        WaitLimit limit = WaitLimit.ofMillis(limitMillis);
        synchronized (lock) {
            long leftNanos = limit.leftNanos();
            while (running > 0 && leftNanos > 0) {
                TimeUnit.NANOSECONDS.timedWait(lock, leftNanos);
                leftNanos = limit.leftNanos();
            }
            return running == 0;
        }
    }
}
