package io.tatami.base;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;

/**
 * Threads that let the process end, and waiting for threads to end. They inherit nothing of the thread that makes them:
 * one that works for all callers must not go on in the name of the first one.
 */
public final class Threads {
    private Threads() {}

    /** Of daemon threads, named {@code name-1}, {@code name-2} and so on. */
    public static ThreadFactory daemons(String name) {
        return daemons(name, Threads::ofNobody);
    }

    /**
     * As {@link #daemons(String)}, of a kind of their own.
     *
     * @param kind a thread for a task and a name
     */
    public static ThreadFactory daemons(String name, BiFunction<Runnable, String, Thread> kind) {
        AtomicInteger number = new AtomicInteger();
        return task -> daemon(kind.apply(task, name + "-" + number.incrementAndGet()));
    }

    /** A daemon thread that is not started. */
    public static Thread daemon(Runnable task, String name) {
        return daemon(ofNobody(task, name));
    }

    private static Thread ofNobody(Runnable task, String name) {
        return new Thread(null, task, name, 0, false);
    }

    private static Thread daemon(Thread thread) {
        thread.setDaemon(true);
        return thread;
    }

    /** Returns once {@code thread} has ended; an interrupt meanwhile is kept for the caller. */
    public static void joinUninterrupted(Thread thread) {
        boolean unused = joinUninterrupted(thread, Long.MAX_VALUE);
    }

    /** As {@link #joinUninterrupted(Thread)}, but gives up after {@code limitMillis}; tells whether it has ended. */
    private static boolean joinUninterrupted(Thread thread, long limitMillis) {
        boolean interrupted = false;
        WaitLimit limit = WaitLimit.ofMillis(limitMillis);
        long leftMillis = limitMillis;
        while (thread.isAlive() && leftMillis > 0) {
            try {
                thread.join(leftMillis);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            leftMillis = limit.leftMillis();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }
}
