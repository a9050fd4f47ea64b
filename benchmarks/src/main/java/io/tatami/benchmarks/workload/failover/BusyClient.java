package io.tatami.benchmarks.workload.failover;

import io.tatami.base.Threads;
import io.tatami.client.TatamiClient;
import io.tatami.client.model.CreateSpec;
import io.tatami.client.model.TatamiPath;
import java.io.IOException;
import java.util.HashSet;
import java.util.Set;

/**
 * Creates and closes empty files without end in a directory of its own, with a connection and a thread of its own, and
 * knows how long it once had to wait from one to the next. Safe for use by any thread.
 */
final class BusyClient implements AutoCloseable {
    /** More than an operation is tried for. */
    private static final long STOP_LIMIT_MILLIS = 180_000;

    private final TatamiClient client;
    private final TatamiPath directory;
    private final Thread thread = Threads.daemon(this::work, "busy client");
    private final Set<String> acknowledged = new HashSet<>();
    private long lastNanos = System.nanoTime();
    private long longestNanos;
    private long servedSince;
    private long errors;
    private volatile boolean stopping;

    /** @param client closed with this; {@code directory} is there */
    BusyClient(TatamiClient client, TatamiPath directory) {
        this.client = client;
        this.directory = directory;
        thread.start();
    }

    private void work() {
        for (long number = 0; !stopping; number++) {
            String name = "f" + number;
            try {
                client.create(directory.child(name), CreateSpec.DEFAULT).close();
                served(name);
            } catch (IOException e) {
                failed(e);
            }
        }
    }

    private synchronized void served(String name) {
        long now = System.nanoTime();
        longestNanos = Math.max(longestNanos, now - lastNanos);
        lastNanos = now;
        servedSince++;
        acknowledged.add(name);
    }

    private synchronized void failed(IOException e) {
        errors++;
        System.err.println("a client met an error: " + e);
    }

    /** Gaps count from here on, and the one that is under way. */
    synchronized void beginRound() {
        longestNanos = 0;
        servedSince = 0;
    }

    /** Whether it made several files since the round began: the last of them was begun within it. */
    synchronized boolean isServed() {
        return servedSince > 1;
    }

    /** The longest gap since the round began, or the one that is under way where that is longer. */
    synchronized double longestMillis() {
        return Math.max(longestNanos, System.nanoTime() - lastNanos) / 1e6;
    }

    synchronized long errors() {
        return errors;
    }

    synchronized long made() {
        return acknowledged.size();
    }

    /** Ends its work, and returns the files that it was told are made. */
    Set<String> end() throws InterruptedException, IOException {
        stopping = true;
        thread.join(STOP_LIMIT_MILLIS);
        if (thread.isAlive()) {
            throw new IOException("a client did not stop in " + STOP_LIMIT_MILLIS + " ms");
        }
        synchronized (this) {
            return Set.copyOf(acknowledged);
        }
    }

    TatamiPath directory() {
        return directory;
    }

    @Override
    public void close() {
        stopping = true;
        client.close();
    }
}
