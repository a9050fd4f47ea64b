package io.tatami.client.meta;

/**
 * The threads that keep open files alive: one that sends what is due and waits for nothing, a few that renew leases
 * again where that failed, and some that mend writers that rest. All clients of a process {@linkplain #SHARED share}
 * them. Safe for use by many threads.
 */
public interface LeaseThreads {
    /** Those of this process. They end when no file is open for writing. */
    LeaseThreads SHARED = new SharedLeaseThreads();

    /** @param task must not block */
    void later(Runnable task, long delayMillis);

    /** @param task may block for as long as leases may go without renewal */
    void repeat(Runnable task);

    /** @param task may block for as long as an operation may take */
    void mend(Runnable task);
}
